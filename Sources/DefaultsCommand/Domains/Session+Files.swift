import StrataPropertyList

/// Reads the property lists that a user names.
extension Session {
  /// The dictionary in a file, in any format, or on the standard input for `-`.
  /// - Parameter verb: what the messages say can't be done with the file.
  func dictionary(
    inFile path: String, for verb: String
  ) throws(Failure) -> [String: PropertyListValue] {
    let bytes = try console.read(path)
    let name = path == "-" ? "standard input" : path
    // The readers take blanks for an empty property list, but such a file is most likely a mistake.
    if Self.isBlank(bytes) { throw Self.refusal("\(name) is empty") }
    let value: PropertyListValue
    do throws(PropertyListError) {
      value = try PropertyList.decode(bytes).value
    } catch {
      throw Self.refusal("cannot \(verb) \(name): \(error)")
    }
    guard case .dictionary(let entries) = value else {
      throw Self.refusal(
        "cannot \(verb) \(name): the top level is of type \(ValueType.name(of: value)), "
          + "not a dictionary")
    }
    return entries
  }

  static func refusal(_ text: String) -> Failure {
    Failure("\(text)\nDefaults have not been changed.")
  }

  /// Whether there are only blanks, after an optional UTF-8 byte order mark.
  private static func isBlank(_ bytes: [UInt8]) -> Bool {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    return bytes[start...].allSatisfy { [0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20].contains($0) }
  }
}
