/// A verb with its parsed arguments, ready to run.
package struct Call {
  package let grammar: Grammar
  package let verb: Verb
  package let session: Session
  /// The domains among the operands.
  package var domains: [NamedDomain] = []
  /// The other operands.
  package var words: [String] = []
  /// The given options; the value is empty for an option that takes none.
  package var options: [(name: String, value: String)] = []

  package func has(_ option: CommandOption) -> Bool { options.contains { $0.name == option.name } }

  /// The values of an option, in the order given.
  package func values(of option: CommandOption) -> [String] {
    options.filter { $0.name == option.name }.map(\.value)
  }

  package func value(of option: CommandOption) -> String? { values(of: option).last }

  /// The domain, for verbs that always have one.
  func domain() throws(Failure) -> NamedDomain {
    guard let domain = domains.first else { throw .usage("\(verb.name): missing domain") }
    return domain
  }

  /// The place in the domain that the call is about: a key, or with `--path` a part of its value.
  func path() throws(Failure) -> ValuePath {
    has(.path) ? try ValuePath(parsing: words[0]) : ValuePath(key: words[0])
  }

  /// The requested format; nil if none was requested.
  func format() -> NamedFormat? {
    has(.json) ? .json : value(of: .format).flatMap(NamedFormat.init)
  }
}
