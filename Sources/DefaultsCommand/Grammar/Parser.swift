/// Parses a verb's arguments into operands and options.
struct Parser {
  private var call: Call
  private var count = 0
  private var rest: ArraySlice<String>
  private var areOptionsOver = false

  /// The call that these arguments form; arguments that do not fit are a usage error.
  static func call(
    _ verb: Verb, _ arguments: ArraySlice<String>, _ grammar: Grammar, _ session: Session
  ) throws(Failure) -> Call {
    var parser = Parser(
      call: Call(grammar: grammar, verb: verb, session: session), rest: arguments)
    try parser.parse()
    return parser.call
  }

  private init(call: Call, rest: ArraySlice<String>) {
    self.call = call
    self.rest = rest
  }

  private mutating func parse() throws(Failure) {
    while let argument = rest.popFirst() {
      if try takeOption(argument) { continue }
      let operands = call.verb.operands(at: count)
      guard let operand = operands.first else {
        if call.verb.isChange { throw TypedValue.unexpected(argument) }
        throw .usage("\(call.verb.name): unexpected argument \(argument.debugDescription)")
      }
      count += 1
      // The number of arguments distinguishes `write D '{…}'` from `write D k v`.
      if operand.kind == .value, call.verb.takesValue {
        call.words.append(argument)
        call.words += rest
        rest = []
      } else if operand.kind == .domain {
        call.domains.append(try domain(argument))
      } else {
        call.words.append(argument)
      }
    }
    if call.has(.help) { return }
    guard call.verb.form(ofCount: count) != nil else {
      throw .usage(missing)
    }
  }

  private var missing: String {
    let next = call.verb.operands(at: count).first?.placeholder ?? "argument"
    return "\(call.verb.name): missing \(next)"
  }

  /// Options may be anywhere, except in verbs that take a value: there, only `--help` is an option,
  /// and only before the operands.
  private mutating func takeOption(_ argument: String) throws(Failure) -> Bool {
    guard !areOptionsOver, argument.hasPrefix("--") else { return false }
    if call.verb.takesValue {
      guard count == 0, argument == "--help" else { return false }
    }
    if argument == "--" {
      areOptionsOver = true
      return true
    }
    let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1)
    guard let name = parts.first, let option = call.verb.option(name) else {
      throw .usage("\(call.verb.name): unknown option \(argument)")
    }
    call.options.append((option.name, try value(of: option, parts.dropFirst().first)))
    return true
  }

  private mutating func value(
    of option: CommandOption, _ joined: Substring?
  ) throws(Failure) -> String {
    guard let placeholder = option.placeholder else {
      if joined != nil { throw .usage("--\(option.name) takes no value") }
      return ""
    }
    guard let value = joined.map(String.init) ?? rest.popFirst() else {
      throw .usage("--\(option.name) requires \(placeholder)")
    }
    guard option.choices.isEmpty || option.choices.contains(value) else {
      throw .usage(
        "--\(option.name) cannot be \(value.debugDescription); use one of "
          + option.choices.joined(separator: ", "))
    }
    return value
  }

  private mutating func domain(_ argument: String) throws(Failure) -> NamedDomain {
    if Grammar.globalNames.contains(argument) { return .global }
    if argument == Grammar.applicationFlag {
      guard let name = rest.popFirst() else {
        throw .usage("\(Grammar.applicationFlag) requires the name of an application")
      }
      return try call.session.domain(
        ApplicationLookup(console: call.session.console).identifier(of: name))
    }
    if argument.hasPrefix("-") {
      throw .usage("\(call.verb.name): unknown option \(argument)")
    }
    return try call.session.domain(argument)
  }
}
