import RevisionedStore

@testable import EtcdClient

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
func readingError(
  _ location: StoreLocation, _ patience: Patience = Patience()
) async -> StoreError? {
  await error { () async throws(StoreError) in
    _ = try await EtcdStore(location, patience).read([.key("a")])
  }
}

extension Patience {
  /// For a server that works, however busy the machine is.
  static let long = Patience(call: .seconds(600), watch: .seconds(600), inquiry: .seconds(600))
}

/// What the body returns; its task is cancelled after ten minutes, so that a test fails instead of
/// waiting for a server that never says anything.
func endingSoon<Value: Sendable>(
  _ body: @escaping @Sendable () async -> Value
) async -> Value {
  let task = Task { await body() }
  let limit = Task {
    try await Task.sleep(for: .seconds(600))
    task.cancel()
  }
  defer { limit.cancel() }
  return await task.value
}

extension StoreError? {
  /// Whether it is about certificates, and says all of these.
  func isCertificate(_ parts: String...) -> Bool {
    guard case .certificate(let text) = self else { return false }
    return parts.allSatisfy { text.contains($0) }
  }
}
