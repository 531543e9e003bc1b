import StrataPropertyList
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
    let progress = Progress("import", on: call.session.console)
    progress.show("reading")
    let values = try entries(try call.session.console.read(path), path)
    progress.show("writing")
    let changes = values.map { Change(key: $0.key, value: $0.value) }
    try call.session.apply(ChangeSet(changes), to: domain)
    return .success
  }

  private static func entries(
    _ bytes: [UInt8], _ path: String
  ) throws(Failure) -> [String: PropertyListValue] {
    let name = path == "-" ? "standard input" : path
    // The readers take blanks for an empty property list, but such a file is most likely a mistake.
    if isBlank(bytes) { throw refusal("\(name) is empty") }
    let value: PropertyListValue
    do throws(PropertyListError) {
      value = try PropertyList.decode(bytes).value
    } catch {
      throw refusal("cannot import \(name): \(error)")
    }
    guard case .dictionary(let entries) = value else {
      throw refusal(
        "cannot import \(name): the top level is of type \(ValueType.name(of: value)), "
          + "not a dictionary")
    }
    return entries
  }

  private static func refusal(_ text: String) -> Failure {
    Failure("\(text)\nDefaults have not been changed.")
  }

  /// Whether there are only blanks, after an optional UTF-8 byte order mark.
  private static func isBlank(_ bytes: [UInt8]) -> Bool {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    return bytes[start...].allSatisfy { [0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20].contains($0) }
  }
}
