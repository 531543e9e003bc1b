import StrataPropertyList
import StrataStorage

/// Reports stored values that their keys can't have: each once, to a handler or else to the log.
final class MismatchReports: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var handler: (@Sendable (Report) -> Void)?
  private var reported: [String: PropertyListValue] = [:]
  private let lock = Lock(.memory)

  /// A `UserDefaults.Mismatch`, which lies higher.
  typealias Report = any CustomStringConvertible & Sendable

  /// Values that were reported before may be reported to the new handler, too.
  func setHandler(_ handler: (@Sendable (Report) -> Void)?) {
    let old = lock.withLock {
      defer { self.handler = handler }
      reported.removeAll()
      return self.handler
    }
    withExtendedLifetime(old) {}  // its end may run foreign code
  }

  /// - Parameter isAgain: reports a value also where it was reported before.
  func report(
    _ report: Report, of stored: PropertyListValue, forKey key: String, isAgain: Bool
  ) {
    let (isNew, handler) = lock.withLock {
      let old = reported.updateValue(stored, forKey: key)
      return (isAgain || old != stored, self.handler)
    }
    guard isNew else { return }
    if let handler { handler(report) } else { Log.write(report.description) }
  }
}
