/// What help, the manual page and completion say of a program, apart from its verbs.
package struct ProgramText: Sendable {
  /// The parts of the manual page that are not derived from the verbs; each text is a paragraph.
  package struct Manual: Sendable {
    /// The line under NAME, after the name.
    package let purpose: String
    package let description: [String]
    package let options: [String]
    /// What a value may be; empty for a program that takes none.
    package let values: [String]
    package let exitStatus: [String]
    package let environment: [(String, String)]
    package let files: [(String, String)]
    package let examples: [(String, String)]
    package let related: [String]

    package init(
      purpose: String, description: [String], options: [String], values: [String] = [],
      exitStatus: [String], environment: [(String, String)], files: [(String, String)],
      examples: [(String, String)], related: [String]
    ) {
      self.purpose = purpose
      self.description = description
      self.options = options
      self.values = values
      self.exitStatus = exitStatus
      self.environment = environment
      self.files = files
      self.examples = examples
      self.related = related
    }
  }

  /// As it is typed: `defaults`, or `defaults fleet`.
  package let name: String
  /// The first line of the help.
  package let title: String
  /// Whether its verbs work on domains and values, with the host before the verb.
  package let usesDomains: Bool
  /// The options that all of its verbs have that work on domains or the store.
  package let common: [CommandOption]
  package let manual: Manual

  package init(
    name: String, title: String, usesDomains: Bool, common: [CommandOption], manual: Manual
  ) {
    self.name = name
    self.title = title
    self.usesDomains = usesDomains
    self.common = common
    self.manual = manual
  }

  /// The name of its executable: `defaults-fleet` for `defaults fleet`.
  package var fileName: String { name.split(separator: " ").joined(separator: "-") }

  /// What is typed before a verb.
  var start: String { usesDomains ? "\(name) \(Grammar.hostFlags)" : name }
}
