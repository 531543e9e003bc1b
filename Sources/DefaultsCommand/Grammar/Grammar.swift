/// All verbs of the command, and the flags before them.
package struct Grammar: Sendable {
  package let verbs: [Verb]

  /// The verb with this name, ignoring case.
  func verb(named name: String) -> Verb? {
    let name = name.lowercased()
    return verbs.first { $0.name == name || $0.otherNames.contains(name) }
  }

  static let globalNames = [
    "-g", "-globalDomain", "NSGlobalDomain", ".GlobalPreferences", "Apple Global Domain",
    "Global Domain",
  ]
  static let applicationFlag = "-app"
  static let thisHostFlag = "-currentHost"
  static let hostFlag = "-host"

  /// Takes the host flag that may precede the verb.
  static func host(_ arguments: inout ArraySlice<String>) throws(Failure) -> HostChoice {
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
