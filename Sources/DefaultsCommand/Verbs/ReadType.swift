import StrataPropertyList

/// Prints the type of one value.
extension Verb {
  static let readType = Verb(
    "read-type", isClassic: true,
    forms: [Form(.domain, .key, summary: "shows the type for the given domain, key")],
    options: [.path, .json],
    run: ReadType.run)
}

private enum ReadType {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let value = try call.session.value(try call.path(), of: try call.domain())
    let name = ValueType.name(of: value)
    if call.has(.json) {
      try call.session.print(.dictionary(["type": .string(name)]), as: .json)
    } else {
      try call.session.print("Type is \(name)")
    }
    return .success
  }
}
