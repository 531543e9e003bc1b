import StrataPropertyList

/// Prints and encodes values.
extension Session {
  /// Prints a value in a format, with warnings about what it does not preserve, or as `read` does.
  func print(_ value: PropertyListValue, as format: NamedFormat?) throws(Failure) {
    guard let format else { return try printText(DescriptionText.text(of: value)) }
    if format == .binary, console.isTerminal(.output) {
      throw Failure("a binary property list can't be shown on a terminal; redirect it to a file")
    }
    try console.write(try encode(value, as: format), to: .output)
  }

  /// Prints what domains hold: byte for byte, but on a terminal, which a control character could
  /// drive, with those escaped.
  func printText(_ text: String) throws(Failure) {
    try self.print(console.isTerminal(.output) ? ShownName.escaped(text, but: "\n\t") : text)
  }

  func encode(
    _ value: PropertyListValue, as format: NamedFormat
  ) throws(Failure) -> [UInt8] {
    let bytes: [UInt8]
    do throws(PropertyListError) {
      bytes = try PropertyList.encode(value, as: format.format)
    } catch {
      throw Failure("cannot write \(format.title): \(error)")
    }
    for loss in PropertyList.losses(of: value, as: format.format) {
      let place = loss.path.isEmpty ? "" : loss.path.joined(separator: ".") + ": "
      try note("warning: \(format.title) does not preserve \(place)\(loss.what)")
    }
    return bytes
  }
}
