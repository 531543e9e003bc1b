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
