/// A condition did not come true in time.
struct NotInTime: Error {}

/// The first value that the body finds; it is asked again for ten minutes.
@discardableResult
func awaited<Value>(_ body: () async throws -> Value?) async throws -> Value {
  let end = ContinuousClock.now + .seconds(600)
  while ContinuousClock.now < end {
    if let value = try await body() { return value }
    try await Task.sleep(for: .milliseconds(20))
  }
  throw NotInTime()
}
