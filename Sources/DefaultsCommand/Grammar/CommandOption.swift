/// One option of a verb, `--name` or `--name=value`.
package struct CommandOption: Hashable, Sendable {
  package let name: String
  /// The placeholder for its value; nil for an option without one.
  package let placeholder: String?
  /// The allowed values; empty if any value is allowed.
  package let choices: [String]
  /// What its value is, for completion.
  package let kind: Operand.Kind
  package let summary: String

  package init(
    _ name: String, _ placeholder: String?, kind: Operand.Kind = .other,
    choices: [String] = [], _ summary: String
  ) {
    self.name = name
    self.placeholder = placeholder
    self.choices = choices
    self.kind = kind
    self.summary = summary
  }

  /// As help shows it.
  var shown: String { "--\(name)" + (placeholder.map { "=\($0)" } ?? "") }

  /// What every verb that works on domains has.
  package static let common = [user, quiet]

  static let user = CommandOption(
    "user", "<user>", "uses the domains of this user; for root")
  package static let quiet = CommandOption("quiet", nil, "omits warnings, hints and progress")
  static let path = CommandOption(
    "path", "<path>", kind: .path, "a place in a value, such as Window.Size.0; replaces <key>")
  package static let dryRun = CommandOption(
    "dry-run", nil, "shows what would change, and changes nothing")
  package static let help = CommandOption("help", nil, "prints this help")
  package static let json = CommandOption("json", nil, "prints JSON")
  static let format = CommandOption(
    "format", "<format>", choices: NamedFormat.allCases.map(\.rawValue),
    "uses this format, and reports what it can't preserve")
}
