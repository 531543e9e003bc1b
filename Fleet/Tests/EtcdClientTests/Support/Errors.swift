import EtcdClient
import RevisionedStore

/// The error that the body throws, if any.
func error(_ body: () async throws(StoreError) -> Void) async -> StoreError? {
  do throws(StoreError) {
    try await body()
    return nil
  } catch {
    return error
  }
}

/// What is wrong with a store at this location: when it is opened, or else read.
func readingError(_ location: StoreLocation) async -> StoreError? {
  await error { () async throws(StoreError) in
    _ = try await EtcdStore(location).read([.key("a")])
  }
}

extension StoreError? {
  /// Whether it is about certificates, and says all of these.
  func isCertificate(_ parts: String...) -> Bool {
    guard case .certificate(let text) = self else { return false }
    return parts.allSatisfy { text.contains($0) }
  }
}
