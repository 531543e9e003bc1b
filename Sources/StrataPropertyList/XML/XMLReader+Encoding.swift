/// Finds the encoding that the XML declaration names.
///
/// Safety: `TextCursor` checks bounds; it sees at most the first 256 bytes, and only a copy of the
/// name leaves the call that lends them.
extension XMLReader {
  /// Whether `bytes` are declared to be in ISO 8859-1.
  ///
  /// Fails for an encoding that is neither that nor Unicode.
  static func declaresLatin1(_ bytes: [UInt8]) throws(PropertyListError) -> Bool {
    guard let name = declaredEncoding(bytes) else { return false }
    switch name.lowercased() {
    case "iso-8859-1", "latin1", "iso_8859-1": return true
    case "utf-8", "utf8", "us-ascii", "ascii", "utf-16", "utf-16le", "utf-16be", "utf-32",
      "utf-32le", "utf-32be", "unicode", "ucs-2", "iso-10646-ucs-2":
      return false
    default:
      throw .at(0, .unsupported, "unknown encoding \(name); save the text as UTF-8")
    }
  }

  private static func declaredEncoding(_ bytes: [UInt8]) -> String? {
    bytes.withUnsafeBufferPointer { buffer in
      var cursor = TextCursor(UnsafeBufferPointer(rebasing: buffer.prefix(256)))
      guard
        cursor.skip("<?xml"), let end = end(of: cursor), cursor.skip(past: "encoding"),
        cursor.position < end
      else { return nil }
      cursor.skip { $0.isBlank || $0 == UInt8(ascii: "=") }
      guard let quote = cursor.current, quote == 0x22 || quote == 0x27 else { return nil }
      cursor.step()
      let start = cursor.position
      cursor.skip { $0 != quote }
      return cursor.text(from: start)
    }
  }

  private static func end(of declaration: TextCursor) -> Int? {
    var cursor = declaration
    return cursor.skip(past: "?>") ? cursor.position : nil
  }
}
