import StrataDomains
import StrataPropertyList
import StrataSystem

/// The present moment, for people.
enum Moment {
  /// As `2026-11-24T10:20:08Z`.
  static func now() -> String {
    let seconds = Double(time(nil)) - secondsFrom1970To2001
    return PropertyListDate(secondsSinceReference: seconds).isoText ?? ""
  }

  private static let secondsFrom1970To2001 = 978_307_200.0
}
