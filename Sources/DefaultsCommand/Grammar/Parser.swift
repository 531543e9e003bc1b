package import StrataDomains

/// Parses a verb's arguments into operands and options.
package struct Parser {
  private let verb: Verb
  private let console: any Console
  private let surroundings: ProcessSurroundings
  private var rest: ArraySlice<String>

  private var domains: [NamedDomain] = []
  private var words: [String] = []
  private var options: [(name: String, value: String)] = []
  private var count = 0
  private var areOptionsOver = false
  private var isPathPlaced = false

  /// The call that these arguments form; arguments that do not fit are a usage error.
  package static func call(
    _ verb: Verb, _ arguments: ArraySlice<String>, _ grammar: Grammar, _ console: any Console,
    _ surroundings: ProcessSurroundings, _ host: HostChoice
  ) throws(Failure) -> Call {
    var parser = Parser(verb: verb, console: console, surroundings, rest: arguments)
    try parser.parse()
    let isOfUser = verb.options.contains(.user) && !parser.has(.help)
    let user = isOfUser ? parser.value(of: .user) : nil
    let session = try Session(
      console, surroundings, host, user: user, isQuiet: parser.has(.quiet))
    return Call(
      grammar: grammar, verb: verb, session: session, domains: parser.domains,
      words: parser.words, options: parser.options)
  }

  private init(
    verb: Verb, console: any Console, _ surroundings: ProcessSurroundings, rest: ArraySlice<String>
  ) {
    self.verb = verb
    self.console = console
    self.surroundings = surroundings
    self.rest = rest
  }

  private mutating func parse() throws(Failure) {
    while let argument = rest.popFirst() {
      if try takeOption(argument) { continue }
      placePath()
      let operands = verb.operands(at: count)
      guard let operand = operands.first else {
        if verb.isChange { throw TypedValue.unexpected(argument) }
        throw .usage("\(verb.name): unexpected argument \(argument.debugDescription)")
      }
      count += 1
      // The number of arguments distinguishes `write D '{…}'` from `write D k v`.
      if operand.kind == .value, verb.takesValue {
        words.append(argument)
        words += rest
        rest = []
      } else if operand.kind == .domain {
        domains.append(try domain(argument))
      } else {
        words.append(argument)
      }
    }
    if has(.help) { return }
    placePath()
    try checkCount()
  }

  /// Takes the path for the key, in whose place it is.
  private mutating func placePath() {
    guard !isPathPlaced, let path = value(of: .path), isKeyNext else { return }
    words.append(path)
    count += 1
    isPathPlaced = true
  }

  private var isKeyNext: Bool {
    verb.operands(at: count).contains { $0.kind == .key || $0.kind == .newKey }
  }

  private func checkCount() throws(Failure) {
    if has(.path), !isPathPlaced {
      throw .usage(
        domains.isEmpty
          ? missing : "\(verb.name): --path stands in the place of <key>; omit the key")
    }
    // A path alone would be taken for the dictionary that replaces a domain.
    let isValueMissing = isPathPlaced && verb.takesValue && verb.operands(at: count).count > 0
    guard verb.form(ofCount: count) != nil, !isValueMissing else { throw .usage(missing) }
  }

  private var missing: String {
    let operands = verb.operands(at: count)
    let words = operands.filter(\.isWord).map(\.placeholder)
    guard words.count == operands.count, let last = words.last, words.count > 1 else {
      return "\(verb.name): missing \(operands.first?.placeholder ?? "argument")"
    }
    return "\(verb.name): missing \(words.dropLast().joined(separator: ", ")) or \(last)"
  }

  // -- Options

  private func has(_ option: CommandOption) -> Bool { options.contains { $0.name == option.name } }

  private func value(of option: CommandOption) -> String? {
    options.last { $0.name == option.name }?.value
  }

  /// Options may be anywhere; in verbs that take a value, before it, and what is none there is an
  /// operand, such as a key.
  private mutating func takeOption(_ argument: String) throws(Failure) -> Bool {
    guard !areOptionsOver, argument.hasPrefix("--") else { return false }
    if verb.takesValue, verb.operands(at: count).first?.kind == .value { return false }
    if argument == "--" {
      areOptionsOver = true
      return true
    }
    let parts = argument.dropFirst(2).split(
      separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, let option = verb.option(name) else {
      if verb.takesValue, count > 0 { return false }
      throw .usage("\(verb.name): unknown option \(argument)")
    }
    options.append((option.name, try value(of: option, parts.dropFirst().first)))
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
    // An empty path is refused where it is parsed, as it is in the place of a key.
    if value.isEmpty, option != .path {
      throw .usage("--\(option.name) requires \(placeholder); the value is empty")
    }
    guard option.choices.isEmpty || option.choices.contains(value) else {
      throw .usage(
        "--\(option.name) cannot be \(value.debugDescription); use one of "
          + option.choices.joined(separator: ", "))
    }
    return value
  }

  private mutating func domain(_ argument: String) throws(Failure) -> NamedDomain {
    if argument == Grammar.applicationFlag {
      guard let name = rest.popFirst() else {
        throw .usage("\(Grammar.applicationFlag) requires the name of an application")
      }
      let lookup = ApplicationLookup(console: console, surroundings: surroundings)
      let identifier = try lookup.identifier(of: name)
      return try NamedDomain(identifier, isSetUID: surroundings.isSetUID)
    }
    if argument.hasPrefix("-"), !NamedDomain.globalNames.contains(argument) {
      throw .usage("\(verb.name): unknown option \(argument)")
    }
    return try NamedDomain(typed: argument, isSetUID: surroundings.isSetUID)
  }
}
