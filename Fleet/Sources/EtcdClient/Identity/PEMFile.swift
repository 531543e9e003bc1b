import Foundation
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
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw .certificate("\(path) can't be read: \(error.localizedDescription)")
    }
    blocks = Self.blocks(of: text)
    if blocks.isEmpty {
      throw .certificate(
        "\(path) is not a PEM file; convert it to one, which begins with -----BEGIN")
    }
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
        if let data = Data(base64Encoded: body) {
          found.append(Block(label: name, bytes: Array(data), isLocked: isLocked))
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
