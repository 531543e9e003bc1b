/// One option of a verb, `--name` or `--name=value`.
package struct CommandOption: Hashable, Sendable {
  package let name: String
  /// The placeholder for its value; nil for an option without one.
  package let placeholder: String?
  /// The allowed values; empty if any value is allowed.
  package let choices: [String]
  package let summary: String

  init(
    _ name: String, _ placeholder: String?, choices: [String] = [], _ summary: String
  ) {
    self.name = name
    self.placeholder = placeholder
    self.choices = choices
    self.summary = summary
  }

  /// As help shows it.
  var shown: String { "--\(name)" + (placeholder.map { "=\($0)" } ?? "") }

  static let help = CommandOption("help", nil, "prints this help")
  static let json = CommandOption("json", nil, "prints JSON")
  static let format = CommandOption(
    "format", "<format>", choices: NamedFormat.allCases.map(\.rawValue),
    "uses this format, and reports what it can't preserve")
}
