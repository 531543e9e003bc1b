import Foundation

extension DefaultsFixture {
  /// Waits until `condition` holds, looking again every two milliseconds.
  /// - Returns: whether it came to hold within `seconds`.
  static func holds(within seconds: Double, _ condition: () throws -> Bool) rethrows -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while true {
      if try condition() { return true }
      if end.timeIntervalSinceNow < 0 { return false }
      poll(nil, 0, 2)
    }
  }
}
