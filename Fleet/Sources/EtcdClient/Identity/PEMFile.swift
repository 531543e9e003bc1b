import Glibc
import RevisionedStore

/// A file with certificates or a key, as text.
struct PEMFile {
  struct Block {
    /// Such as `CERTIFICATE`.
    let label: String
    let bytes: [UInt8]
    /// Whether it can be used only with a password.
    let isLocked: Bool
  }

  let path: String
  let text: String
  let blocks: [Block]

  init(_ path: String) throws(StoreError) {
    self.path = path
    text = String(decoding: try Self.bytes(of: path), as: UTF8.self)
    blocks = Self.blocks(of: text)
    if blocks.isEmpty {
      throw .certificate(
        "\(path) is not a PEM file; convert it to one, which begins with -----BEGIN")
    }
  }

  /// No certificate needs more.
  private static let sizeMax = 1 << 20

  private static func bytes(of path: String) throws(StoreError) -> [UInt8] {
    // Not to be waited for, as a pipe would be.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw unreadable(path) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(file, &part, part.count)
      if count < 0 { throw unreadable(path) }
      if count == 0 { return bytes }
      bytes += part[..<count]
      if bytes.count > sizeMax {
        throw .certificate("\(path) is larger than a megabyte; give one with certificates or a key")
      }
    }
  }

  private static func unreadable(_ path: String) -> StoreError {
    .certificate("\(path) can't be read: \(String(cString: strerror(errno)))")
  }

  private static func blocks(of text: String) -> [Block] {
    var found: [Block] = []
    var label: String?
    var body = ""
    var isLocked = false
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("-----BEGIN "), line.hasSuffix("-----") {
        let name = String(line.dropFirst(11).dropLast(5))
        (label, body, isLocked) = (name, "", name.hasPrefix("ENCRYPTED"))
      } else if line.hasPrefix("-----END "), let name = label {
        if let bytes = Self.bytes(ofBase64: body) {
          found.append(Block(label: name, bytes: bytes, isLocked: isLocked))
        }
        label = nil
      } else if line.contains(":") {
        // The older form of a key with a password says so in a header.
        isLocked = isLocked || line.contains("ENCRYPTED")
      } else {
        body += line.filter { !$0.isWhitespace }
      }
    }
    return found
  }

  /// What a text without blanks stands for; nil if it is not Base64 (RFC 4648).
  private static func bytes(ofBase64 text: String) -> [UInt8]? {
    let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
    let padding = text.utf8.dropFirst(digits.count)
    guard text.utf8.count % 4 == 0, padding.count <= 2,
      padding.allSatisfy({ $0 == UInt8(ascii: "=") })
    else { return nil }
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    for (place, digit) in digits.enumerated() {
      guard let value = value(ofDigit: digit) else { return nil }
      bits = bits << 6 | value
      // Each digit but a group's first completes a byte.
      if place % 4 > 0 { bytes.append(UInt8(truncatingIfNeeded: bits >> (6 - 2 * (place % 4)))) }
    }
    return bytes
  }

  private static func value(ofDigit digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}

extension PEMFile {
  /// - Throws: if there is none, or one that is damaged.
  func certificates() throws(StoreError) -> [Certificate] {
    var found: [Certificate] = []
    for block in blocks where block.label == "CERTIFICATE" {
      guard let certificate = Certificate(block.bytes) else {
        throw .certificate("\(path) has a certificate that is damaged; copy or issue it again")
      }
      found.append(certificate)
    }
    if found.isEmpty { throw .certificate("\(path) has no certificate; use the file that has") }
    return found
  }

  /// - Throws: if there is none, or one that needs a password.
  func privateKey() throws(StoreError) -> Block {
    guard let key = blocks.first(where: { $0.label.hasSuffix("PRIVATE KEY") }) else {
      throw .certificate("\(path) has no private key; use the file that has")
    }
    if key.isLocked {
      throw .certificate(
        "\(path) needs a password; use a key that needs none, such as by: openssl pkey")
    }
    var reader = DERReader(key.bytes[...])
    guard reader.inside(.sequence) != nil else {
      throw .certificate("\(path) has a key that is damaged; copy or issue it again")
    }
    return key
  }
}
