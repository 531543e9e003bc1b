/// All verbs of a program, and the flags before them.
package struct Grammar: Sendable {
  package let program: ProgramText
  package let verbs: [Verb]

  package init(_ program: ProgramText, verbs: [Verb]) {
    self.program = program
    self.verbs = verbs
  }

  /// The verb with this name, ignoring case.
  package func verb(named name: String) -> Verb? {
    if let verb = verbs.first(where: { $0.name == name }) { return verb }
    let name = name.lowercased()
    return verbs.first { $0.name.lowercased() == name || $0.otherNames.contains(name) }
  }

  static let applicationFlag = "-app"
  static let thisHostFlag = "-currentHost"
  static let hostFlag = "-host"
  static let hostFlags = "[\(thisHostFlag) | \(hostFlag) <hostname>]"

  /// Takes what may precede the verb: the host flag, and options that all verbs have, which go
  /// behind it.
  static func prefix(
    _ arguments: inout ArraySlice<String>
  ) throws(Failure) -> (host: HostChoice, options: ArraySlice<String>) {
    var options: ArraySlice<String> = []
    var host = HostChoice.any
    while let first = arguments.first {
      if first == thisHostFlag || first == hostFlag {
        guard host == .any else {
          throw .usage("\(thisHostFlag) and \(hostFlag) exclude each other")
        }
        host = try Self.host(&arguments)
      } else if let count = optionCount(first) {
        options += arguments.prefix(count)
        arguments = arguments.dropFirst(count)
      } else {
        break
      }
    }
    return (host, options)
  }

  /// How many arguments the option takes that begins with this one; nil if not every verb has it.
  private static func optionCount(_ argument: String) -> Int? {
    CommandOption.common.compactMap { option in
      if argument == "--" + option.name { return option.placeholder == nil ? 1 : 2 }
      return argument.hasPrefix("--\(option.name)=") ? 1 : nil
    }.first
  }

  /// Takes the host flag.
  private static func host(_ arguments: inout ArraySlice<String>) throws(Failure) -> HostChoice {
    switch arguments.first {
    case thisHostFlag:
      arguments.removeFirst()
      return .this
    case hostFlag:
      guard let name = arguments.dropFirst().first, !name.isEmpty else {
        throw .usage("\(hostFlag) requires the name of a host")
      }
      arguments.removeFirst(2)
      return .named(name)
    default: return .any
    }
  }
}
