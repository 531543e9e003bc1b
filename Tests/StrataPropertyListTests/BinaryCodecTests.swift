import StrataPropertyList
import Testing

/// A file of objects written by hand, each as its bytes.
func binaryFile(_ objects: [[UInt8]], top: UInt8 = 0) -> [UInt8] {
  var bytes = Array("bplist00".utf8)
  var offsets: [UInt8] = []
  for object in objects {
    offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
    bytes += object
  }
  let table = bytes.count
  let count = [UInt8](repeating: 0, count: 7) + [UInt8(objects.count)]
  return bytes + offsets + [0, 0, 0, 0, 0, 0, 2, 1] + count + [0, 0, 0, 0, 0, 0, 0, top]
    + [0, 0, 0, 0, 0, 0, UInt8(table >> 8), UInt8(table & 0xFF)]
}

/// The kind of error that reading gives, or nothing when it succeeds.
func errorKind(
  _ bytes: [UInt8], as format: PropertyListFormat? = nil
) -> PropertyListError.Kind? {
  do throws(PropertyListError) {
    _ =
      if let format { try PropertyList.decode(bytes, as: format) } else {
        try PropertyList.decode(bytes).value
      }
    return nil
  } catch {
    return error.kind
  }
}

/// What the objects of a binary list mean, and what is refused.
struct BinaryCodecTests {
  private func value(_ object: [UInt8]) throws -> PropertyListValue {
    try PropertyList.decode(binaryFile([object])).value
  }

  // P-2
  @Test func `integers of all widths have their value`() throws {
    #expect(try value([0x10, 0xFF]) == .integer(255))
    #expect(try value([0x11, 0xFF, 0xFE]) == .integer(65534))
    #expect(try value([0x12, 0xFF, 0xFF, 0xFF, 0xFF]) == .integer(0xFFFF_FFFF))
    #expect(try value([0x13] + [UInt8](repeating: 0xFF, count: 8)) == .integer(-1))
    let zeros = [UInt8](repeating: 0, count: 8)
    let ones = [UInt8](repeating: 0xFF, count: 8)
    #expect(try value([0x14] + zeros + ones) == .unsigned(.max))
    #expect(try value([0x14] + zeros + zeros) == .integer(0))
    #expect(try value([0x14] + ones + ones) == .integer(-1))
  }

  // P-2
  @Test func `a 128-bit integer that does not fit in 64 bits is refused`() {
    let zeros = [UInt8](repeating: 0, count: 8)
    let ones = [UInt8](repeating: 0xFF, count: 8)
    #expect(errorKind(binaryFile([[0x14, 1] + zeros + zeros.dropFirst()])) == .invalidNumber)
    #expect(errorKind(binaryFile([[0x14] + ones + zeros])) == .invalidNumber)
  }

  // P-2
  @Test func `an unsigned integer that fits is the usual integer`() throws {
    let bytes = try PropertyList.encode(.unsigned(5), as: .binary)
    #expect(try PropertyList.decode(bytes).value == .integer(5))
  }

  @Test func `reals, dates and references have their value`() throws {
    #expect(try value([0x22, 0x3F, 0x80, 0, 0]) == .single(1))
    #expect(try value([0x23, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0]) == .real(1))
    let date = PropertyListDate(secondsSinceReference: 1)
    #expect(try value([0x33, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0]) == .date(date))
    #expect(try value([0x80, 7]) == .uid(7))
    #expect(try value([0x82, 1, 0, 0]) == .uid(65536))
    #expect(errorKind(binaryFile([[0x88] + [UInt8](repeating: 0, count: 9)])) == .invalidNumber)
  }

  // P-7
  @Test func `text that is not valid is refused`() {
    #expect(errorKind(binaryFile([[0x51, 0x80]])) == .invalidText)
    #expect(errorKind(binaryFile([[0x61, 0xD8, 0x00]])) == .invalidText)
    #expect(errorKind(binaryFile([[0x62, 0xDC, 0x00, 0xD8, 0x00]])) == .invalidText)
    #expect(errorKind(binaryFile([[0x62, 0xD8, 0x00, 0xDC, 0x00]])) == nil)
  }

  @Test func `what no property list can hold is refused`() {
    #expect(errorKind(binaryFile([[0x00]])) == .unsupported)
    #expect(errorKind(binaryFile([[0xC0]])) == .unsupported)
    #expect(errorKind(binaryFile([[0xD1, 1, 1], [0x10, 1]])) == .keyNotString)
  }

  @Test func `the last of duplicate keys wins, in any composition`() throws {
    let objects: [[UInt8]] = [
      [0xD2, 1, 2, 3, 4], [0x61, 0, 0xE9], [0x62, 0, 0x65, 3, 1], [0x10, 1], [0x10, 2],
    ]
    #expect(try PropertyList.decode(binaryFile(objects)).value == .dictionary(["é": .integer(2)]))
  }

  // P-7
  @Test func `a count larger than the file is refused before anything is allocated`() {
    let huge: [UInt8] = [0x13, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
    for type in [UInt8(0x4F), 0x5F, 0x6F, 0xAF, 0xDF] {
      #expect(errorKind(binaryFile([[type] + huge])) == .truncated)
      #expect(errorKind(binaryFile([[type, 0x10, 0xFF]])) == .truncated)
    }
  }

  // P-7
  @Test func `cycles are refused`() {
    #expect(errorKind(binaryFile([[0xA1, 0]])) == .cycle)
    #expect(errorKind(binaryFile([[0xA1, 1], [0xD1, 2, 0], [0x51, 0x61]])) == .cycle)
  }

  // P-7
  @Test func `shared objects expand to 16 times their count and a million at most`() {
    // Each array holds the next one twice: n of them expand to 2^(n+1) - 1 objects.
    func pyramid(_ levels: Int) -> [UInt8] {
      binaryFile((1...levels).map { [0xA2, UInt8($0), UInt8($0)] } + [[0x09]])
    }
    #expect(PropertyListLimits.expandedObjects(fileObjects: 20) == 1_000_320)
    #expect(errorKind(pyramid(18)) == nil)
    #expect(errorKind(pyramid(19)) == .expandsTooFar)
    #expect(errorKind(pyramid(60)) == .expandsTooFar)
  }

  // P-7
  @Test func `shared data expands only so far`() {
    let data: [UInt8] = [0x4F, 0x11, 0x40, 0x00] + [UInt8](repeating: 1, count: 0x4000)
    var objects: [[UInt8]] = (1...12).map { [0xA2, UInt8($0), UInt8($0)] }
    objects.append(data)
    #expect(errorKind(binaryFile(objects)) == .expandsTooFar)
  }

  // P-7
  @Test(arguments: PropertyListFormat.allCases)
  func `nesting is read and written up to 512 levels`(format: PropertyListFormat) throws {
    func nested(_ levels: Int) -> PropertyListValue {
      (0..<levels - 1).reduce(.array([])) { value, _ in .array([value]) }
    }
    // The innermost array is empty; text notations write it without opening it.
    let deepest = nested(512)
    let bytes = try PropertyList.encode(deepest, as: format)
    #expect(try PropertyList.decode(bytes, as: format) == deepest)
    let error = #expect(throws: PropertyListError.self) {
      _ = try PropertyList.encode(nested(514), as: format)
    }
    #expect(error?.kind == .nestedTooDeep)
  }

  // P-7
  @Test func `files nested too deep are refused in every text notation`() {
    let open = { (text: String) in Array(String(repeating: text, count: 100_000).utf8) }
    #expect(errorKind(Array("<plist>".utf8) + open("<array>")) == .nestedTooDeep)
    #expect(errorKind(open("(")) == .nestedTooDeep)
    #expect(errorKind(open("{a=")) == .nestedTooDeep)
    #expect(errorKind(open("[")) == .nestedTooDeep)
    #expect(errorKind(open("{\"a\":")) == .nestedTooDeep)
  }

  @Test func `every truncation of a file is an error`() throws {
    let bytes = try PropertyList.encode(
      .dictionary(["a": .array([.integer(1), .string("é")]), "b": .real(1)]), as: .binary)
    for length in 0..<bytes.count {
      #expect(errorKind(Array(bytes.prefix(length)), as: .binary) != nil, "\(length) bytes")
    }
  }

  @Test func `an error says where and what would mend it`() {
    let error = #expect(throws: PropertyListError.self) {
      _ = try PropertyList.decode(binaryFile([[0x51, 0x80]]))
    }
    #expect(
      error?.description == "byte 8: an ASCII string has a byte past 0x7F; write it again")
  }
}
