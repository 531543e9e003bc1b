/// Prints the type of one value.
extension Verb {
  static let readType = Verb(
    "read-type", isClassic: true,
    forms: [Form(.domain, .key, summary: "shows the type for the given domain, key")],
    run: ReadType.run)
}

private enum ReadType {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let value = try call.session.value(call.words[0], of: try call.domain())
    try call.session.print("Type is \(ValueType.name(of: value))")
    return .success
  }
}
