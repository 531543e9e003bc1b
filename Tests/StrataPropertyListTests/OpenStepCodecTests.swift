import StrataPropertyList
import Testing

/// What the OpenStep notation means, and how ours is laid out.
struct OpenStepCodecTests {
  private func read(_ text: String) throws(PropertyListError) -> PropertyListValue {
    try PropertyList.decode(Array(text.utf8), as: .openStep)
  }

  // P-6
  @Test func `unquoted strings hold letters, digits and seven other characters`() throws {
    #expect(try read("azAZ09_$/:.-") == .string("azAZ09_$/:.-"))
    for text in ["a+b", "a@b", "é", "(a b)", "a=b"] {
      #expect(errorKind(Array(text.utf8), as: .openStep) != nil, "\(text)")
    }
  }

  // P-6
  @Test func `both quotes and all escapes are known`() throws {
    #expect(try read("'a\"b'") == .string("a\"b"))
    #expect(try read(#""\a\b\f\n\r\t\v\"\\\q""#) == .string("\u{7}\u{8}\u{C}\n\r\t\u{B}\"\\q"))
    #expect(
      try read(#""\U41\UE9\U00e9g\Ud83d\ude00""#.replacing("\\ude00", with: "\\Ude00"))
        == .string("A\u{E9}\u{E9}g😀"))
    #expect(try read(#""\101\341\0418""#) == .string("AÆ!8"))
    for text in [#""\Uzz""#, #""\Ud83d""#, #""\Ude00""#, "\"a", #""a\"#] {
      #expect(errorKind(Array(text.utf8), as: .openStep) != nil, "\(text)")
    }
  }

  // P-6
  @Test func `comments stand wherever blanks may`() throws {
    let text = "/* a */ { // b\n a /**/ = /* ; */ 1; }// end"
    #expect(try read(text) == .dictionary(["a": .string("1")]))
    #expect(errorKind(Array("/* a".utf8), as: .openStep) == .truncated)
  }

  // P-6
  @Test func `data is hexadecimal with blanks and an even count of digits`() throws {
    #expect(try read("<0fbd 7\n7>") == .data([0x0F, 0xBD, 0x77]))
    #expect(try read("<>") == .data([]))
    #expect(try read("<[AQID]>") == .data([1, 2, 3]))
    for text in ["<0>", "<0g>", "<00", "<[A]>", "<[AQID"] {
      #expect(errorKind(Array(text.utf8), as: .openStep) != nil, "\(text)")
    }
  }

  // P-6
  @Test func `a file of strings is a dictionary without braces`() throws {
    #expect(try read("a=1;b=2;") == .dictionary(["a": .string("1"), "b": .string("2")]))
    #expect(try read("\"a b\";") == .dictionary(["a b": .string("a b")]))
    #expect(try read(" // nothing\n") == .dictionary([:]))
  }

  // P-1
  @Test func `typed values of GNUstep are read`() throws {
    let zero = PropertyListDate(secondsSinceReference: 0)
    #expect(
      try read("(<*I5>, <*R1.5>, <*BY>, <*BN>, <*I\"-7\">,)")
        == .array([.integer(5), .real(1.5), .boolean(true), .boolean(false), .integer(-7)]))
    #expect(try read("<*D2001-01-01 00:00:00 +0000>") == .date(zero))
    #expect(try read("<*D2001-01-01 01:30:00 +0130>") == .date(zero))
    #expect(try read("<*D2000-12-31 23:00:00 -0100>") == .date(zero))
    for text in ["<*I>", "<*X1>", "<*B1>", "<*D2001-01-01>", "<*I5", "<*"]
      + ["400000-01-01 00:00:00 +0000", "2001-01-01 00:00:00 +2400", "2001-01-01 00:00:00 +0060"]
      .map({ "<*D\($0)>" })
    {
      #expect(errorKind(Array(text.utf8), as: .openStep) != nil, "\(text)")
    }
  }

  // P-1
  @Test func `ours is laid out for people`() throws {
    let value = PropertyListValue.dictionary([
      "name": .string("two words"), "plain": .string("com.example"), "n": .integer(5),
      "list": .array([.boolean(true), .data([1, 2, 3, 4, 5])]), "none": .array([]),
      "é\n": .dictionary(["k": .string("😀\u{1}")]), "comment": .string("//x"),
    ])
    let text = String(decoding: try PropertyList.encode(value, as: .openStep), as: UTF8.self)
    #expect(
      text == #"""
        {
            comment = "//x";
            list = (
                <*BY>,
                <01020304 05>
            );
            n = <*I5>;
            name = "two words";
            none = ();
            plain = com.example;
            "\U00e9\n" = {
                k = "\Ud83d\Ude00\001";
            };
        }

        """#)
  }

  @Test func `structure that is wrong is an error with its line`() {
    for text in ["{a=1}", "{a 1;}", "{a=;}", "(a b)", "(,)", "{", "(", "a=1;b", ")", "{a=1;}x"] {
      let error = #expect(throws: PropertyListError.self) {
        _ = try PropertyList.decode(Array("\n\(text)".utf8), as: .openStep)
      }
      #expect(error?.line == 2, "\(text)")
    }
  }
}
