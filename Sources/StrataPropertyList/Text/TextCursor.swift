/// A position in valid UTF-8 text that a reader advances, and that knows its line and column.
///
/// Safety: a cursor is created inside `withUnsafeBufferPointer` and never leaves that call; every
/// access to a byte follows a check of its position against `count`.
struct TextCursor {
  private let bytes: UnsafeBufferPointer<UInt8>
  private(set) var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { position >= bytes.count }

  var current: UInt8? {
    position < bytes.count ? bytes[position] : nil
  }

  func isAt(_ literal: StaticString) -> Bool {
    guard literal.utf8CodeUnitCount <= bytes.count - position else { return false }
    for offset in 0..<literal.utf8CodeUnitCount
    where bytes[position + offset] != literal.utf8Start[offset] {
      return false
    }
    return true
  }

  /// Advances by `count` bytes, but not past the end.
  mutating func step(_ count: Int = 1) {
    position = min(bytes.count, position + count)
  }

  /// Advances past a literal if it is here.
  mutating func skip(_ literal: StaticString) -> Bool {
    guard isAt(literal) else { return false }
    position += literal.utf8CodeUnitCount
    return true
  }

  mutating func skip(while condition: (UInt8) -> Bool) {
    while position < bytes.count, condition(bytes[position]) { position += 1 }
  }

  mutating func skipBlanks() {
    skip(while: \.isBlank)
  }

  /// Advances past the next occurrence of a literal; stays here and returns false if there is none.
  @inline(never)
  mutating func skip(past literal: StaticString) -> Bool {
    let start = position
    while !isAtEnd {
      if skip(literal) { return true }
      position += 1
    }
    position = start
    return false
  }

  mutating func move(to position: Int) {
    self.position = min(max(0, position), bytes.count)
  }

  /// The bytes from a position to here.
  func slice(from start: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[min(start, position)..<position])
  }

  /// The text from a position to here; both must be at a character's boundary.
  func text(from start: Int) -> String {
    String(decoding: slice(from: start), as: UTF8.self)
  }

  /// An error here or at an earlier position, with its line and column.
  @inline(never)
  func error(
    _ kind: PropertyListError.Kind, _ reason: String, at place: Int? = nil
  ) -> PropertyListError {
    let offset = min(place ?? position, bytes.count)
    var line = 1
    var column = 1
    for byte in bytes[..<offset] {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return PropertyListError(kind, offset: offset, line: line, column: column, reason: reason)
  }
}
