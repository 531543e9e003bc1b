import StrataStorage

/// Sets the values of a property list in a domain.
extension Verb {
  static let importing = Verb(
    "import", isClassic: true, isChange: true,
    forms: [
      Form(.domain, .file, summary: "writes the plist at path to domain"),
      Form(.domain, .standard, summary: "writes a plist from stdin to domain"),
    ],
    notes: [
      "Reads binary, XML, OpenStep and JSON. Keys that are not in the property list are kept."
    ],
    run: Import.run)
}

private enum Import {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let (domain, path) = (try call.domain(), call.words[0])
    let progress = call.session.progress("import")
    progress.show("reading")
    let values = try call.session.dictionary(inFile: path, for: "import")
    progress.show("writing")
    let changes = values.map { Change(key: $0.key, value: $0.value) }
    try call.session.apply(ChangeSet(changes), to: domain)
    return .success
  }
}
