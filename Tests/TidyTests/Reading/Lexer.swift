/// Cuts Swift source into tokens, so that no rule mistakes a comment or a string for code.
///
/// Code inside an interpolation is code. A regular expression must be written `#/…/#`.
struct Lexer {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var tokens: [Token] = []

  private init(_ text: String) { bytes = Array(text.utf8) }

  static func tokens(of text: String) -> [Token] {
    var lexer = Lexer(text)
    lexer.readCode(isInterpolation: false)
    return lexer.tokens
  }

  private mutating func readCode(isInterpolation: Bool) {
    var depth = 0
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\n"):
        line += 1
        position += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): position += 1
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"): readLineComment()
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): readBlockComment()
      case UInt8(ascii: "\""): readLiteral(hashes: 0)
      case UInt8(ascii: "#"): readHash()
      case UInt8(ascii: "`"): readQuotedName()
      case UInt8(ascii: ")") where isInterpolation && depth == 0: return
      case _ where isWordByte(byte): readWord()
      default:
        if byte == UInt8(ascii: "(") { depth += 1 }
        if byte == UInt8(ascii: ")") { depth -= 1 }
        position += 1
        add(.symbol, from: position - 1)
      }
    }
  }

  private mutating func readWord() {
    let start = position
    while let byte = peek(), isWordByte(byte) { position += 1 }
    add(.word, from: start)
  }

  private mutating func readQuotedName() {
    let start = position + 1
    position = start
    while let byte = peek(), byte != UInt8(ascii: "`"), byte != UInt8(ascii: "\n") {
      position += 1
    }
    add(.quotedName, from: start)
    position += 1
  }

  private mutating func readLineComment() {
    let start = position
    skipToEndOfLine()
    add(.comment, from: start)
  }

  private mutating func readBlockComment() {
    let (start, startLine) = (position, line)
    var depth = 0
    repeat {
      if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
        depth += 1
        position += 2
      } else if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
        depth -= 1
        position += 2
      } else {
        if peek() == UInt8(ascii: "\n") { line += 1 }
        position += 1
      }
    } while depth > 0 && position < bytes.count
    for (offset, part) in text(from: start).split(separator: "\n").enumerated() {
      tokens.append(Token(kind: .comment, text: String(part), line: startLine + offset))
    }
  }

  /// A raw string, an extended regular expression, a condition, or a lone `#`.
  private mutating func readHash() {
    let start = position
    var hashes = 0
    while peek(hashes) == UInt8(ascii: "#") { hashes += 1 }
    if peek(hashes) == UInt8(ascii: "\"") || peek(hashes) == UInt8(ascii: "/") {
      position += hashes
      readLiteral(hashes: hashes)
      return
    }
    let conditions = ["#if ", "#elseif ", "#else", "#endif"]
    if conditions.contains(where: { bytes[start...].starts(with: $0.utf8) }) {
      skipToEndOfLine()
      add(.condition, from: start)
    } else {
      position += 1
      add(.symbol, from: start)
    }
  }

  /// Reads a literal whose quote (or slash) is at `position`.
  private mutating func readLiteral(hashes: Int) {
    guard let quote = peek() else { return }
    let isBlock = quote == UInt8(ascii: "\"") && peek(1) == quote && peek(2) == quote
    position += isBlock ? 3 : 1
    var start = position
    while let byte = peek() {
      if byte == UInt8(ascii: "\\"), hasHashes(hashes, at: 1) {
        position += 1 + hashes
        guard peek() == UInt8(ascii: "(") else {
          if peek() == UInt8(ascii: "\n") { line += 1 }
          position += 1
          continue
        }
        add(.literal, from: start, to: position - 1 - hashes)
        position += 1
        readCode(isInterpolation: true)
        position += 1
        start = position
      } else if byte == quote, !isBlock || (peek(1) == quote && peek(2) == quote),
        hasHashes(hashes, at: isBlock ? 3 : 1)
      {
        break
      } else {
        if byte == UInt8(ascii: "\n") {
          guard isBlock || hashes > 0 else { break }
          line += 1
        }
        position += 1
      }
    }
    add(.literal, from: start)
    position += (isBlock ? 3 : 1) + hashes
  }

  private mutating func skipToEndOfLine() {
    while let byte = peek(), byte != UInt8(ascii: "\n") { position += 1 }
  }

  private mutating func add(_ kind: Token.Kind, from start: Int, to end: Int? = nil) {
    tokens.append(Token(kind: kind, text: text(from: start, to: end), line: line))
  }

  private func text(from start: Int, to end: Int? = nil) -> String {
    let limit = min(end ?? position, bytes.count)
    return String(decoding: bytes[min(start, limit)..<limit], as: UTF8.self)
  }

  private func peek(_ distance: Int = 0) -> UInt8? {
    position + distance < bytes.count ? bytes[position + distance] : nil
  }

  private func hasHashes(_ count: Int, at distance: Int) -> Bool {
    (0..<count).allSatisfy { peek(distance + $0) == UInt8(ascii: "#") }
  }

  private func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }
}
