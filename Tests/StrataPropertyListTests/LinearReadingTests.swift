import StrataPropertyList
import Testing

/// That reading takes time and memory in proportion to what is read.
///
/// Nothing is timed: what took the square of the time would not end.
struct LinearReadingTests {
  struct Shape: CustomTestStringConvertible, Sendable {
    let start: String
    let part: String
    let end: String
    var testDescription: String { "\(start)\(part)…\(end)" }

    init(_ start: String, _ part: String, _ end: String = "") {
      (self.start, self.part, self.end) = (start, part, end)
    }

    func bytes(_ size: Int) -> [UInt8] {
      var bytes = Array(start.utf8)
      let unit = Array(part.utf8)
      while bytes.count < size { bytes += unit }
      return bytes + Array(end.utf8)
    }
  }

  static let shapes = [
    Shape("\"", "x"), Shape("\"", "\\n"), Shape("{a=\"", "\\U00e9"), Shape("'", "\\101", "'"),
    Shape("<", "ab"), Shape("<[", "abcd"), Shape("<*I", "1"), Shape("<*R", "1", ">"),
    Shape("", "/* */"), Shape("/*", "/*"), Shape("(", "a,"), Shape("", "a;", "!"),
    Shape("[\"", "x"), Shape("[\"", "\\n", "\"]"), Shape("[1.", "1", "]"), Shape("[", "1,"),
    Shape("<!DOCTYPE [", "<!--"), Shape("<!DOCTYPE [", "'"), Shape("<!DOCTYPE ", "[<?"),
    Shape("<!--", "<!--"), Shape("<?", "<?"), Shape("<plist><string>", "x"),
    Shape("<plist><string>", "&amp;"), Shape("<plist><string>", "<![CDATA["),
    Shape("<plist><string>", "<!-- -->"), Shape("<plist ", "a='"), Shape("<real>", "1", "</real>"),
    Shape("<data>", "ab\n", "</data>"), Shape("<dict>", "<key>a</key><true/>", "</dict>"),
  ]

  // P-7, S-23
  @Test(arguments: shapes)
  func `no text takes the square of its size to be read or refused`(_ shape: Shape) {
    _ = errorKind(shape.bytes(1 << 20))
  }

  // P-7, S-23
  @Test func `containers that share their bytes take no memory for more than may be read`() {
    // 500 arrays inside of each other: one alone may be read, and no second one inside of it.
    let count = 900_000
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    func put(_ number: Int, _ width: Int) -> [UInt8] {
      (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    for number in 0..<500 {
      offsets += put(bytes.count, 4)
      bytes += [0xAF, 0x12] + put(count, 4) + put(number + 1, 2)
    }
    offsets += put(bytes.count, 4)
    bytes += [0x09] + [UInt8](repeating: 0, count: 2 * count)
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 4, 2] + put(501, 8) + put(0, 8) + put(table, 8)
    #expect(errorKind(bytes) == .expandsTooFar)
  }
}
