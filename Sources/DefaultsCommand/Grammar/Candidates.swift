import SettingsBundles
import SettingsModel
import StrataDomains
import StrataPropertyList
import StrataStorage

/// Finds the candidates for the next word of a command line.
struct Candidates {
  let grammar: Grammar
  let console: any Console
  /// Makes a session for the host and the user that the words before the cursor select.
  let session: (HostChoice, _ user: String?) throws(Failure) -> Session

  struct Candidate: Hashable {
    let text: String
    var about = ""
  }

  /// - Parameter words: those up to the cursor; the last one is unfinished.
  func lines(_ words: [String]) throws(Failure) -> [String] {
    guard let prefix = words.last else { return [] }
    var rest = words.dropLast()
    if rest.last == Grammar.hostFlag, rest.count == 1 {
      return lines([Candidate(text: console.hostName, about: "this host")], prefix)
    }
    let (host, options) = try Grammar.prefix(&rest)
    guard let name = rest.popFirst() else { return lines(verbs(host), prefix) }
    guard let verb = grammar.verb(named: name) else { return [ShellCompletion.filesLine] }
    return try lines(for: verb, options + rest, prefix, host)
  }

  private func lines(_ candidates: [Candidate], _ prefix: String) -> [String] {
    candidates.filter { candidate in
      candidate.text.utf8.starts(with: prefix.utf8)
        && !candidate.text.utf8.contains { $0 == 0x09 || $0 == 0x0A || $0 == 0 }
    }
    .map { $0.text + "\t" + ShownName.escaped($0.about, but: "") }
  }

  private func verbs(_ host: HostChoice) -> [Candidate] {
    let verbs = grammar.verbs.filter { $0.isShown && (host == .any || !$0.isForAllHosts) }
    var candidates = verbs.map {
      Candidate(text: $0.name, about: $0.forms.last?.summary ?? "")
    }
    if host == .any {
      if grammar.program.usesDomains {
        candidates += [
          Candidate(text: Grammar.thisHostFlag, about: "settings for this host"),
          Candidate(text: Grammar.hostFlag, about: "settings for one host"),
        ]
      }
      candidates += [Candidate(text: "--help"), Candidate(text: "--version")]
    }
    return candidates
  }

  // -- After a verb

  /// What the words between a verb and the cursor say.
  private struct Typed {
    var count = 0
    var domainWord: String?
    var user: String?
    var hasPath = false
    /// The operand before the cursor.
    var last: String?
    /// The words of the value so far.
    var value: [String]?
    /// The option whose value is next.
    var option: CommandOption?
    var isApplicationNext = false
    var isApplication = false
  }

  private func lines(
    for verb: Verb, _ words: ArraySlice<String>, _ prefix: String, _ host: HostChoice
  ) throws(Failure) -> [String] {
    let typed = typed(words, verb)
    if let value = typed.value { return lines(valueWords(value), prefix) }
    let session = try session(host, typed.user)
    if typed.isApplicationNext { return lines(applications(session), prefix) }
    let domain = try domain(typed, session)
    if let option = typed.option { return try lines(for: option, of: domain, prefix, session) }
    if prefix.hasPrefix("--") {
      return try lines(forOptionsOf: verb, of: domain, prefix, session)
    }
    let operands = verb.operands(at: typed.count)
    guard let operand = operands.first else { return [] }
    if operand.isWord {
      return lines(operands.filter(\.isWord).map { Candidate(text: $0.placeholder) }, prefix)
    }
    if operand.kind == .choice {
      return lines(try choices(typed.last, of: domain, session), prefix)
    }
    return try lines(for: operand, of: domain, prefix, session)
  }

  private func typed(_ words: ArraySlice<String>, _ verb: Verb) -> Typed {
    var typed = Typed()
    var rest = words
    while let word = rest.popFirst() {
      let isBeforeValue = verb.operands(at: typed.count).first?.kind != .value
      if isBeforeValue, word.hasPrefix("--"), take(word, verb, &rest, &typed) { continue }
      if typed.hasPath, [.key, .newKey].contains(verb.operands(at: typed.count).first?.kind) {
        typed.count += 1
        typed.hasPath = false
      }
      let kind = verb.operands(at: typed.count).first?.kind
      if kind == .value {
        typed.value = [word] + rest
        return typed
      }
      typed.count += 1
      typed.last = word
      guard kind == .domain else { continue }
      typed.isApplication = word == Grammar.applicationFlag
      typed.domainWord = typed.isApplication ? rest.popFirst() : word
      typed.isApplicationNext = typed.domainWord == nil
    }
    if typed.hasPath { typed.count += 1 }
    return typed
  }

  /// Takes an option and its value.
  private func take(
    _ word: String, _ verb: Verb, _ rest: inout ArraySlice<String>, _ typed: inout Typed
  ) -> Bool {
    let parts = word.dropFirst(2).split(
      separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, let option = verb.option(name) else { return false }
    typed.hasPath = typed.hasPath || option == .path
    guard option.placeholder != nil else { return true }
    let value = parts.count > 1 ? String(parts[1]) : rest.popFirst()
    if value == nil { typed.option = option }
    if option == .user { typed.user = value }
    return true
  }

  private func domain(_ typed: Typed, _ session: Session) throws(Failure) -> NamedDomain? {
    guard let word = typed.domainWord else { return nil }
    let name = try typed.isApplication ? lookup(session).identifier(of: word) : word
    return try session.domain(typed: name)
  }

  /// The verb's options or, after `--name=`, the values of one.
  private func lines(
    forOptionsOf verb: Verb, of domain: NamedDomain?, _ prefix: String, _ session: Session
  ) throws(Failure) -> [String] {
    if let end = prefix.firstIndex(of: "=") {
      guard let option = verb.option(prefix[..<end].dropFirst(2)) else { return [] }
      let values = try lines(
        for: option, of: domain, String(prefix[prefix.index(after: end)...]), session)
      return values.map { $0 == ShellCompletion.filesLine ? $0 : prefix[...end] + $0 }
    }
    return lines(verb.options.map { Candidate(text: "--" + $0.name, about: $0.summary) }, prefix)
  }

  private func lines(
    for option: CommandOption, of domain: NamedDomain?, _ prefix: String, _ session: Session
  ) throws(Failure) -> [String] {
    if !option.choices.isEmpty {
      return lines(option.choices.map { Candidate(text: $0) }, prefix)
    }
    return try lines(for: Operand(option.kind, ""), of: domain, prefix, session)
  }

  private func lines(
    for operand: Operand, of domain: NamedDomain?, _ prefix: String, _ session: Session
  ) throws(Failure) -> [String] {
    switch operand.kind {
    case .domain:
      if prefix.utf8.first == UInt8(ascii: "/") { return [ShellCompletion.filesLine] }
      return lines(try domains(session), prefix)
    case .key, .newKey:
      guard let domain else { return [] }
      return lines(try keys(of: domain, session), prefix)
    case .describedKey:
      guard let domain, let described = try session.description(of: domain) else { return [] }
      return lines(candidates(described), prefix)
    case .path:
      guard let domain else { return [] }
      return lines(try paths(in: domain, prefix, session), prefix)
    case .file: return [ShellCompletion.filesLine]
    case .value: return lines(valueWords([]), prefix)
    case .verb:
      let verbs = grammar.verbs.filter(\.isShown)
      return lines(verbs.map { Candidate(text: $0.name) }, prefix)
    case .shell: return lines(ShellCompletion.allCases.map { Candidate(text: $0.rawValue) }, prefix)
    case .choice, .other: return []
    }
  }

  private func domains(_ session: Session) throws(Failure) -> [Candidate] {
    let flags = [
      Candidate(text: "-g", about: "the global domain"),
      Candidate(text: Grammar.applicationFlag, about: "the domain of an application"),
    ]
    if session.process.places.userDirectory == nil { return flags }
    let domains = try session.domains().domains.map(\.domain).filter { $0 != .global }
    return flags + domains.map { Candidate(text: $0.shown, about: "a domain") }
  }

  private func keys(of domain: NamedDomain, _ session: Session) throws(Failure) -> [Candidate] {
    let values = try session.values(of: domain)
    let described = try session.description(of: domain).map(candidates) ?? []
    return KeySorting.sorted(values).map { key, value in
      Candidate(text: key, about: ValueType.name(of: value))
    } + described.filter { values[$0.text] == nil }
  }

  private func candidates(_ described: DescribedDomain) -> [Candidate] {
    described.bundle.settings.map { Candidate(text: $0.key, about: described.title(of: $0)) }
  }

  /// The words for the values of a described setting.
  private func choices(
    _ key: String?, of domain: NamedDomain?, _ session: Session
  ) throws(Failure) -> [Candidate] {
    guard let key, let domain, let described = try session.description(of: domain),
      let setting = described.bundle.setting(forKey: key)
    else { return [] }
    switch setting.form {
    case .toggle: return [Candidate(text: "on"), Candidate(text: "off")]
    case .choice(let choices):
      return choices.compactMap { choice in
        choice.value.stringValue.map {
          Candidate(text: $0, about: described.text(choice.title, of: setting))
        }
      }
    case .number, .text, .any: return []
    }
  }

  /// The paths that have one part more than the unfinished one is complete.
  private func paths(
    in domain: NamedDomain, _ prefix: String, _ session: Session
  ) throws(Failure) -> [Candidate] {
    let values = try session.values(of: domain)
    let start = prefix.lastIndex(of: ".").map { prefix[..<$0] } ?? ""
    guard !start.isEmpty else { return candidates(.dictionary(values), after: "") }
    let path: ValuePath
    do throws(Failure) {
      path = try ValuePath(parsing: String(start))
    } catch {
      return []  // the dot is part of a key, or something else that is no path yet
    }
    guard let value = values[path.key] else { return [] }
    return candidates(try path.value(in: value), after: start + ".")
  }

  private func candidates(_ value: PropertyListValue, after start: String) -> [Candidate] {
    let parts: [(key: String, value: PropertyListValue)] =
      switch value {
      case .dictionary(let entries): KeySorting.sorted(entries)
      case .array(let elements): elements.enumerated().map { (String($0), $1) }
      default: []
      }
    return parts.map { key, value in
      Candidate(text: start + ValuePath.part(key), about: ValueType.name(of: value))
    }
  }

  private func valueWords(_ words: [String]) -> [Candidate] {
    let flags = ValueFlag.allCases.filter { words.isEmpty || !$0.isComposite }
    let offered = flags.map { Candidate(text: "-" + $0.rawValue, about: $0.placeholder) }
    switch words.last.flatMap(ValueFlag.init(argument:)) {
    case .bool, .boolean: return ["true", "false", "yes", "no"].map { Candidate(text: $0) }
    case .some(let flag) where !flag.isComposite: return []
    default:
      let isOpen = words.isEmpty || ValueFlag(argument: words[0])?.isComposite == true
      return isOpen ? offered : []
    }
  }

  private func applications(_ session: Session) -> [Candidate] {
    lookup(session).identifiers.map { Candidate(text: $0, about: "an application") }
  }

  private func lookup(_ session: Session) -> ApplicationLookup {
    ApplicationLookup(console: console, surroundings: session.process.surroundings)
  }
}
