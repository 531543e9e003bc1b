import StrataPropertyList
import StrataStorage

/// Finds the candidates for the next word of a command line.
struct Candidates {
  let grammar: Grammar
  let console: any Console
  /// Makes a session for the host that the words before the cursor select.
  let session: (HostChoice) -> Session

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
    let host = try Grammar.host(&rest)
    guard let name = rest.popFirst() else { return lines(verbs(host), prefix) }
    guard let verb = grammar.verb(named: name) else { return [ShellCompletion.filesLine] }
    return try lines(for: verb, rest, prefix, session(host))
  }

  private func lines(_ candidates: [Candidate], _ prefix: String) -> [String] {
    candidates.filter { candidate in
      candidate.text.hasPrefix(prefix)
        && !candidate.text.utf8.contains { $0 == 0x09 || $0 == 0x0A || $0 == 0 }
    }
    .map { $0.text + "\t" + $0.about }
  }

  private func verbs(_ host: HostChoice) -> [Candidate] {
    var candidates = grammar.verbs.filter(\.isShown).map {
      Candidate(text: $0.name, about: $0.forms.last?.summary ?? "")
    }
    if host == .any {
      candidates += [
        Candidate(text: Grammar.thisHostFlag, about: "settings for this host"),
        Candidate(text: Grammar.hostFlag, about: "settings for one host"),
        Candidate(text: "--help"), Candidate(text: "--version"),
      ]
    }
    return candidates
  }

  // -- After a verb

  private func lines(
    for verb: Verb, _ words: ArraySlice<String>, _ prefix: String, _ session: Session
  ) throws(Failure) -> [String] {
    var rest = words
    var count = 0
    var domain: NamedDomain?
    while let word = rest.popFirst() {
      if word.hasPrefix("--"), let option = verb.option(word.dropFirst(2)) {
        guard option.placeholder != nil, rest.popFirst() == nil else { continue }
        return option.choices.isEmpty
          ? [ShellCompletion.filesLine]
          : lines(option.choices.map { Candidate(text: $0) }, prefix)
      }
      let kind = verb.operands(at: count).first?.kind
      if kind == .value {
        return lines(valueWords([word] + rest), prefix)
      }
      count += 1
      guard kind == .domain else { continue }
      if word == Grammar.applicationFlag {
        guard let name = rest.popFirst() else { return lines(applications, prefix) }
        domain = try session.domain(
          ApplicationLookup(console: console).identifier(of: name))
      } else {
        domain = Grammar.globalNames.contains(word) ? .global : try session.domain(word)
      }
    }
    if prefix.hasPrefix("--") {
      return lines(verb.options.map { Candidate(text: "--" + $0.name, about: $0.summary) }, prefix)
    }
    guard let operand = verb.operands(at: count).first else { return [] }
    return try lines(for: operand, of: domain, prefix, session)
  }

  private func lines(
    for operand: Operand, of domain: NamedDomain?, _ prefix: String, _ session: Session
  ) throws(Failure) -> [String] {
    switch operand.kind {
    case .domain:
      if prefix.hasPrefix("/") { return [ShellCompletion.filesLine] }
      return lines(try domains(session), prefix)
    case .key, .newKey:
      guard let domain else { return [] }
      return lines(try keys(of: domain, session), prefix)
    case .file: return [ShellCompletion.filesLine]
    case .value: return lines(valueWords([]), prefix)
    case .verb:
      let verbs = grammar.verbs.filter(\.isShown)
      return lines(verbs.map { Candidate(text: $0.name) }, prefix)
    case .shell: return lines(ShellCompletion.allCases.map { Candidate(text: $0.rawValue) }, prefix)
    case .other: return []
    }
  }

  private func domains(_ session: Session) throws(Failure) -> [Candidate] {
    [
      Candidate(text: "-g", about: "the global domain"),
      Candidate(text: Grammar.applicationFlag, about: "the domain of an application"),
    ]
      + (try session.domains()).domains.map(\.domain).filter { $0 != .global }.map {
        Candidate(text: $0.shown, about: "a domain")
      }
  }

  private func keys(of domain: NamedDomain, _ session: Session) throws(Failure) -> [Candidate] {
    KeySorting.sorted(try session.values(of: domain)).map { key, value in
      Candidate(text: key, about: ValueType.name(of: value))
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

  private var applications: [Candidate] {
    let home = console.environment("HOME").map { [$0 + "/.local/share"] } ?? []
    return (home + ["/usr/local/share", "/usr/share"]).flatMap {
      console.names(in: Path.join($0, "applications"), ending: ".desktop")
    }
    .sorted().map { Candidate(text: $0, about: "an application") }
  }
}

/// Removes the quoting from words that were typed into a shell.
enum ShellWord {
  static func unquoted(_ word: String) -> String {
    var text = ""
    var quote: Character?
    var isEscaped = false
    for character in word {
      if isEscaped {
        text.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
      } else {
        text.append(character)
      }
    }
    return text
  }
}
