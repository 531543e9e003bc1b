/// Reads texts that are exactly a Boolean. `boolValue` reads every other text as false.
package enum BooleanText {
  /// `YES`, `true` or `1`, and `NO`, `false` or `0`, ignoring case; nil for any other text.
  package static func value(of text: String) -> Bool? {
    switch text.lowercased() {
    case "yes", "true", "1": true
    case "no", "false", "0": false
    default: nil
    }
  }
}
