import StrataPropertyList
import Testing

/// What JSON means as a property list, and how ours is laid out.
struct JSONCodecTests {
  private func read(_ text: String) throws(PropertyListError) -> PropertyListValue {
    try PropertyList.decode(Array(text.utf8), as: .json)
  }

  // P-1
  @Test func `what is lossless is imported with its type`() throws {
    let text = #" {"a": [1, -1, 1.0, 1e2, true, false, "\u00e9\ud83d\ude00\n\/"], "b": {}} "#
    #expect(
      try read(text)
        == .dictionary([
          "a": .array([
            .integer(1), .integer(-1), .real(1), .real(100), .boolean(true), .boolean(false),
            .string("é😀\n/"),
          ]), "b": .dictionary([:]),
        ]))
    #expect(try read("18446744073709551615") == .unsigned(.max))
  }

  // P-1
  @Test func `what would be lost is refused`() {
    #expect(errorKind(Array("[null]".utf8)) == .unsupported)
    #expect(errorKind(Array("[18446744073709551616]".utf8)) == .invalidNumber)
    #expect(errorKind(Array("[1e999]".utf8)) == .invalidNumber)
    #expect(errorKind(Array(#"["\ud83d"]"#.utf8)) == .invalidText)
  }

  // P-1
  @Test func `ours is indented and sorted`() throws {
    let value = PropertyListValue.dictionary([
      "b": .array([.integer(1), .real(1), .real(1e22)]), "a": .string("\"\\\u{1}é"),
      "c": .dictionary([:]), "d": .data([1, 2, 3]), "e": .real(.nan),
      "f": .date(PropertyListDate(secondsSinceReference: 0)), "g": .uid(1), "h": .array([]),
    ])
    let text = String(decoding: try PropertyList.encode(value, as: .json), as: UTF8.self)
    #expect(
      text == #"""
        {
          "a": "\"\\\u0001é",
          "b": [
            1,
            1.0,
            1e+22
          ],
          "c": {},
          "d": "AQID",
          "e": "nan",
          "f": "2001-01-01T00:00:00Z",
          "g": {
            "CF$UID": 1
          },
          "h": []
        }

        """#)
    #expect(PropertyList.losses(of: value, as: .json).map(\.path) == [["d"], ["e"], ["f"]])
  }

  @Test func `structure that is wrong is an error`() {
    for text in [
      "", "{", "[", "[1,]", "{\"a\" 1}", "{a:1}", "{\"a\":1,}", "01", "1.", ".5", "1e", "-", "\"",
      "\"\n\"", #""\x""#, #""\u12""#, "[1] x", "tru", "+1", "[1 2]",
    ] {
      #expect(errorKind(Array(text.utf8), as: .json) != nil, "\(text)")
    }
  }
}
