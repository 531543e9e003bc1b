import CStrata
import StrataStorage

/// The file name, without `.plist`, of a domain whose own name can't be one.
///
/// It is the name in percent encoding: the first character, `/`, `%` and control characters are
/// escaped, so `Tests/App.swift` is `%54ests%2FApp.swift`. That the first character is always
/// escaped tells it from a name that is its own file name. Of a long name only the beginning fits;
/// `%~` and a hash follow, and the whole name is in a file beside the domain's journal.
package enum EncodedName {
  /// The maximum size of a file name in bytes, which leaves room for the names of the files beside
  /// the plist.
  package static let sizeMax = 200

  /// Whether a name is its own file name.
  static func isPlain(_ name: String) -> Bool {
    let bytes = name.utf8
    if bytes.isEmpty || bytes.count > sizeMax || bytes.first == UInt8(ascii: ".") { return false }
    return !name.unicodeScalars.contains(where: { $0 == "/" || isControl($0) })
      && !beginsWithEscape(bytes)
  }

  /// The file name of a domain's name, which is not empty and contains no NUL.
  static func fileName(of name: String) -> String {
    if isPlain(name) { return name }
    let whole = escaped(name, atMost: .max)
    if whole.count <= sizeMax { return String(decoding: whole, as: UTF8.self) }
    var start = escaped(name, atMost: sizeMax - hashMark.utf8.count - 2 * hashSize)
    start.append(contentsOf: hashMark.utf8)
    appendHash(of: name, to: &start)
    return String(decoding: start, as: UTF8.self)
  }

  /// The domain's name that a file name stands for; nil if it stands for none, or is too short to
  /// hold it.
  package static func name(ofFile file: String) -> String? {
    if isPlain(file) { return file }
    guard beginsWithEscape(file.utf8) else { return nil }
    var bytes: [UInt8] = []
    var rest = Substring(file).utf8
    while let byte = rest.popFirst() {
      if byte != UInt8(ascii: "%") {
        bytes.append(byte)
      } else if let escape = escapedByte(rest) {
        bytes.append(escape)
        rest = rest.dropFirst(2)
      } else {
        return nil
      }
    }
    guard let name = String(validating: bytes, as: UTF8.self), !bytes.contains(0),
      fileName(of: name).utf8.elementsEqual(file.utf8)
    else { return nil }
    return name
  }

  /// Whether a file name holds only the beginning of a name.
  package static func isCut(_ file: String) -> Bool {
    guard file.utf8.first == UInt8(ascii: "%") else { return false }
    let mark = file.utf8.suffix(hashMark.utf8.count + 2 * hashSize).prefix(hashMark.utf8.count)
    return beginsWithEscape(file.utf8) && mark.elementsEqual(hashMark.utf8)
  }

  private static let hashMark = "%~"
  private static let hashSize = 16

  private static func escaped(_ name: String, atMost size: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for (position, scalar) in name.unicodeScalars.enumerated() {
      let isEscaped = position == 0 || scalar == "/" || scalar == "%" || isControl(scalar)
      let start = bytes.count
      for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
        if isEscaped {
          bytes.append(UInt8(ascii: "%"))
          bytes.append(upperHexDigit(byte >> 4))
          bytes.append(upperHexDigit(byte & 0xF))
        } else {
          bytes.append(byte)
        }
      }
      if bytes.count > size {
        bytes.removeSubrange(start...)
        break
      }
    }
    return bytes
  }

  private static func appendHash(of name: String, to bytes: inout [UInt8]) {
    // Safety: the bytes are only read during the call.
    var name = name
    let hash = name.withUTF8 { strata_sha256($0.baseAddress, $0.count) }
    bytes += HexDigits.text(hash.high, count: hashSize).utf8
    bytes += HexDigits.text(hash.low, count: hashSize).utf8
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }

  private static func beginsWithEscape(_ bytes: String.UTF8View) -> Bool {
    bytes.first == UInt8(ascii: "%") && escapedByte(Substring(bytes.dropFirst()).utf8) != nil
  }

  private static func escapedByte(_ digits: Substring.UTF8View) -> UInt8? {
    var digits = digits.makeIterator()
    guard let high = digits.next().flatMap(upperHexValue),
      let low = digits.next().flatMap(upperHexValue)
    else { return nil }
    return high << 4 | low
  }

  private static func upperHexDigit(_ value: UInt8) -> UInt8 { value + (value < 10 ? 0x30 : 0x37) }

  private static func upperHexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x37
    default: nil
    }
  }
}

/// Where the whole name of a domain is whose file name holds only the beginning.
extension EncodedName {
  /// Stores the whole name, if it is not stored yet.
  ///
  /// A name that can't be stored is of no consequence for the domain: it is listed as the path of
  /// its file then.
  static func keep(_ name: String, of paths: StorePaths) {
    do throws(StorageError) {
      let file = WholeFile(path(of: paths))
      if try file.status() == nil { try file.replace(by: Array(name.utf8)) }
    } catch {}
  }

  /// The whole name; nil if it is not stored, or is another one's.
  static func keptName(of paths: StorePaths) -> String? {
    guard let file = Path.stem(of: Path.name(of: paths.plist), ending: ".plist"),
      file.utf8.first == UInt8(ascii: "%")
    else { return nil }
    do throws(StorageError) {
      guard let bytes = try WholeFile(path(of: paths)).read(),
        let name = String(validating: bytes, as: UTF8.self), isOf(name, file: file)
      else { return nil }
      return name
    } catch {
      return nil
    }
  }

  /// Whether a file, whose name may go on with a dot and a host, is that of the domain with this
  /// name, and holds only the beginning of it.
  static func isOf(_ name: String, file: String) -> Bool {
    if name.utf8.isEmpty || name.utf8.contains(0) { return false }
    let beginning = fileName(of: name)
    guard isCut(beginning), file.utf8.starts(with: beginning.utf8) else { return false }
    let rest = file.utf8.dropFirst(beginning.utf8.count)
    return rest.isEmpty || rest.first == UInt8(ascii: ".")
  }

  private static func path(of paths: StorePaths) -> String {
    Path.join(paths.placed.hidden, Path.name(of: paths.plist) + ".name")
  }
}
