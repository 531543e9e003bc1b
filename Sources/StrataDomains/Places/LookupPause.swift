/// When to ask again for what could not be found out: at once, or after a while if it took long to
/// fail, as where a server does not answer. In nanoseconds.
struct LookupPause {
  private var end: Int64 = 0

  /// How many times as long as a failed lookup took no other one is made, within limits.
  private static let factor: Int64 = 16
  private static let failureMin: Int64 = 100_000_000
  private static let pauseMax: Int64 = 60_000_000_000

  func isOver(at now: Int64) -> Bool { now >= end }

  mutating func begin(afterFailureFrom start: Int64, to now: Int64) {
    let duration = now - start
    end = duration < Self.failureMin ? now : now + min(Self.pauseMax, Self.factor * duration)
  }
}
