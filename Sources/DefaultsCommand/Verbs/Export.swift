import StrataPropertyList

/// Writes a domain to a file.
extension Verb {
  static let export = Verb(
    "export", isClassic: true,
    forms: [
      Form(.domain, .file, summary: "saves domain as a binary plist to path"),
      Form(.domain, .standard, summary: "writes domain as an xml plist to stdout"),
    ],
    options: [.json, .format],
    notes: [
      "An existing file is replaced completely or not at all, and keeps its mode; a new one has "
        + "the mode that the umask allows."
    ],
    run: Export.run)
}

private enum Export {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let domain = try call.domain()
    let value = PropertyListValue.dictionary(try call.session.existing(domain))
    let path = call.words[0]
    let isOutput = path == "-"
    let damage = try call.session.damage(of: domain)
    if let damage, !isOutput {
      throw Failure(
        "\(damage)\nNothing was written to \(path). `defaults export \(domain.shown) -` prints "
          + "what is left")
    }
    let format = call.format() ?? (isOutput ? .xml : .binary)
    if isOutput {
      try call.session.print(value, as: format)
      if let damage { throw Failure(damage) }
    } else {
      let bytes = try call.session.encode(value, as: format)
      try call.session.console.replace(path, by: bytes, .byMask)
    }
    return .success
  }
}
