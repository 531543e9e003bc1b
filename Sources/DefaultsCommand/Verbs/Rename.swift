import StrataStorage

/// Moves a value to another key.
extension Verb {
  static let rename = Verb(
    "rename", isClassic: true, isChange: true,
    forms: [
      Form(
        .domain, Operand(.key, "<old_key>"), Operand(.newKey, "<new_key>"),
        summary: "renames old_key to new_key")
    ],
    run: Rename.run)
}

private enum Rename {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let (old, new) = (call.words[0], call.words[1])
    let domain = try call.domain()
    try call.session.change(domain) { (values) throws(Failure) in
      guard let value = values[old] else {
        throw Failure(
          "Key \(old) does not exist in domain \(domain.shown); leaving defaults unchanged.")
      }
      return ChangeSet([Change(key: old, value: nil), Change(key: new, value: value)])
    }
    return .success
  }
}
