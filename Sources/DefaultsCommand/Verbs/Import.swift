import StrataPropertyList
import StrataStorage

/// Adds what a property list has to a domain.
extension Verb {
  static let importing = Verb(
    "import", isClassic: true, isChange: true,
    forms: [
      Form(.domain, .file, summary: "writes the plist at path to domain"),
      Form(.domain, .standard, summary: "writes a plist from stdin to domain"),
    ],
    notes: [
      "Binary, XML, OpenStep and JSON are read. Keys that the list does not have stay as they are."
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
    let name = path == "-" ? "The standard input" : path
    let value: PropertyListValue
    do throws(PropertyListError) {
      // To most readers nothing but blanks is an empty list; a file is hardly meant to be one.
      value = try PropertyList.decode(isBlank(bytes) ? [] : bytes).value
    } catch {
      throw Failure("\(name) is no property list: \(error)\nDefaults have not been changed.")
    }
    guard case .dictionary(let entries) = value else {
      throw Failure(
        "\(name) has no dictionary at its top, but a value of type \(ValueType.name(of: value))\n"
          + "Defaults have not been changed.")
    }
    return entries
  }

  /// Whether there is nothing but blanks, behind the mark of UTF-8.
  private static func isBlank(_ bytes: [UInt8]) -> Bool {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    return bytes[start...].allSatisfy { [0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20].contains($0) }
  }
}
