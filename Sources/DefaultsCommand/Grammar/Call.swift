/// A verb with its arguments, about to be run.
struct Call {
  let grammar: Grammar
  let verb: Verb
  let session: Session
  /// The domains among the operands.
  var domains: [NamedDomain] = []
  /// The other operands.
  var words: [String] = []
  /// The options that were given; those without a value have an empty one.
  var options: [(name: String, value: String)] = []

  func has(_ option: CommandOption) -> Bool { options.contains { $0.name == option.name } }

  /// The values of an option, in their order.
  func values(of option: CommandOption) -> [String] {
    options.filter { $0.name == option.name }.map(\.value)
  }

  func value(of option: CommandOption) -> String? { values(of: option).last }

  /// The domain; for verbs that always have one.
  func domain() throws(Failure) -> NamedDomain {
    guard let domain = domains.first else { throw .usage("\(verb.name): missing domain") }
    return domain
  }

  /// The format that was asked for; nothing where none was.
  func format() -> NamedFormat? {
    has(.json) ? .json : value(of: .format).flatMap(NamedFormat.init)
  }
}
