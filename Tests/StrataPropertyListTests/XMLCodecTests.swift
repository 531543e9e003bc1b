import StrataPropertyList
import Testing

/// What XML means, how errors point into it, and how ours is laid out.
struct XMLCodecTests {
  private func read(_ content: String) throws(PropertyListError) -> PropertyListValue {
    try PropertyList.decode(Array("<plist>\(content)</plist>".utf8)).value
  }

  private func error(_ text: String) -> PropertyListError? {
    do throws(PropertyListError) {
      _ = try PropertyList.decode(Array(text.utf8))
      return nil
    } catch {
      return error
    }
  }

  // P-4
  @Test func `the layout is Apple's`() throws {
    let value = PropertyListValue.dictionary([
      "b": .array([.boolean(true), .real(0.1), .real(.infinity), .integer(-1)]),
      "a": .dictionary([:]), "c": .array([]), "d": .data([1, 2, 3]), "e<&>": .string("\"'"),
      "f": .date(PropertyListDate(secondsSinceReference: 1.9)), "g": .data([]),
    ])
    let text = String(decoding: try PropertyList.encode(value, as: .xml), as: UTF8.self)
    #expect(
      text == """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
        "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>a</key>
        \t<dict/>
        \t<key>b</key>
        \t<array>
        \t\t<true/>
        \t\t<real>0.10000000000000001</real>
        \t\t<real>+infinity</real>
        \t\t<integer>-1</integer>
        \t</array>
        \t<key>c</key>
        \t<array/>
        \t<key>d</key>
        \t<data>
        \tAQID
        \t</data>
        \t<key>e&lt;&amp;&gt;</key>
        \t<string>"'</string>
        \t<key>f</key>
        \t<date>2001-01-01T00:00:01Z</date>
        \t<key>g</key>
        \t<data>
        \t</data>
        </dict>
        </plist>

        """)
  }

  // P-5
  @Test func `integers are decimal or hexadecimal, without blanks, and fit in 64 bits`() throws {
    #expect(try read("<integer>0x10</integer>") == .integer(16))
    #expect(try read("<integer>-0x10</integer>") == .integer(-16))
    #expect(try read("<integer>+5</integer>") == .integer(5))
    #expect(try read("<integer>18446744073709551615</integer>") == .unsigned(.max))
    #expect(try read("<integer>-9223372036854775808</integer>") == .integer(.min))
    for text in [
      " 5", "5 ", "", "-", "0x", "1.5", "18446744073709551616", "-9223372036854775809", "a",
    ] {
      #expect(error("<plist><integer>\(text)</integer></plist>")?.kind == .invalidNumber, "\(text)")
    }
  }

  // P-5
  @Test func `errors have a line and a column`() {
    let text = "<plist>\n  <dict>\n\t<key>é</key><integer> 1</integer>\n</dict></plist>"
    let error = error(text)
    #expect(error?.line == 3)
    #expect(error?.column == 23)
    #expect(error?.description.hasPrefix("line 3, column 23: <integer> must contain ") == true)
  }

  // P-5
  @Test func `an unknown element is an error that names it`() {
    let error = error("<plist>\n<set></set></plist>")
    #expect(error?.kind == .unsupported)
    #expect(error?.line == 2)
    #expect(error?.reason.hasPrefix("<set> is not a property-list element") == true)
  }

  // P-5
  @Test func `the last of duplicate keys wins`() throws {
    let content = "<dict><key>a</key><integer>1</integer><key>a</key><integer>2</integer></dict>"
    #expect(try read(content) == .dictionary(["a": .integer(2)]))
  }

  // P-5
  @Test func `only five entities and character references are known`() throws {
    let text = "<string>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;<![CDATA[<&]]><!-- - --></string>"
    #expect(try read(text) == .string("<>&\"'A😀<&"))
    for entity in ["&nbsp;", "&", "&#xD800;", "&#0;", "&#x110000;", "&#;", "&lt", "&#99999999999;"]
    {
      #expect(error("<plist><string>\(entity)</string></plist>")?.kind == .malformed, "\(entity)")
    }
  }

  // P-5
  @Test func `a document type is stepped over and never expanded`() throws {
    let text = """
      <?xml version="1.0"?>
      <!DOCTYPE plist [ <!ENTITY a "]>"> <!-- > ]> --> <!ENTITY b SYSTEM "file:///etc/passwd"> ]>
      <plist><string>x</string></plist>
      """
    #expect(try PropertyList.decode(Array(text.utf8)).value == .string("x"))
    let expanding = text.replacing("<string>x", with: "<string>&b;")
    #expect(error(expanding)?.kind == .malformed)
  }

  // P-1
  @Test func `text in any Unicode encoding is read`() throws {
    let text = "<?xml version=\"1.0\"?><plist><string>é😀</string></plist>"
    let utf16 = Array(text.utf16)
    let utf32 = text.unicodeScalars.map(\.value)
    let little16 = utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big16 = utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    let little32 = utf32.flatMap { value in (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }
    let big32 = utf32.flatMap { value in (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) } }
    let files: [[UInt8]] = [
      [0xEF, 0xBB, 0xBF] + Array(text.utf8), [0xFF, 0xFE] + little16, little16,
      [0xFE, 0xFF] + big16, big16, [0xFF, 0xFE, 0, 0] + little32, little32,
      [0, 0, 0xFE, 0xFF] + big32, big32,
    ]
    for file in files { #expect(try PropertyList.decode(file) == (.string("é😀"), .xml)) }
    let latin = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist><string>"
    let file = Array(latin.utf8) + [0xE9] + Array("</string></plist>".utf8)
    #expect(try PropertyList.decode(file).value == .string("é"))
  }

  // P-7
  @Test func `text that is not valid in its encoding is refused`() {
    let start = Array("<plist><string>".utf8)
    let end = Array("</string></plist>".utf8)
    #expect(errorKind(start + [0xC0, 0x80] + end) == .invalidText)
    #expect(errorKind(start + [0xED, 0xA0, 0x80] + end) == .invalidText)
    #expect(errorKind([0xFF, 0xFE, 0x3C, 0x00, 0x00, 0xD8]) == .invalidText)
    #expect(errorKind([0xFF, 0xFE, 0x3C]) == .invalidText)
    #expect(errorKind([0xFF, 0xFE, 0, 0, 0x3C, 0, 0x11, 0]) == .invalidText)
  }

  @Test func `dates are checked and data is base64`() throws {
    let first = PropertyListDate(secondsSinceReference: 0)
    #expect(try read("<date>2001-01-01T00:00:00Z</date>") == .date(first))
    for date in [
      "2001-02-29T00:00:00Z", "2001-13-01T00:00:00Z", "2001-01-01", "2001-01-01T24:00:00Z",
      "400000-01-01T00:00:00Z", "-400000-01-01T00:00:00Z",
    ] {
      #expect(error("<plist><date>\(date)</date></plist>")?.kind == .malformed, "\(date)")
    }
    #expect(try read("<data> AQ\n==</data>") == .data([1]))
    for data in ["A", "AQ", "AQ=", "A===", "AQ==AQ==", "!QID", "AQID="] {
      #expect(error("<plist><data>\(data)</data></plist>")?.kind == .malformed, "\(data)")
    }
  }

  @Test func `what XML cannot hold is refused when written`() {
    let never = PropertyListDate(secondsSinceReference: .nan)
    for value in [PropertyListValue.string("\u{0}"), .string("\u{FFFF}"), .date(never)] {
      let error = #expect(throws: PropertyListError.self) {
        _ = try PropertyList.encode(value, as: .xml)
      }
      #expect(error?.kind == .notRepresentable)
    }
  }

  @Test func `structure that is wrong is an error where it is wrong`() {
    let cases: [(text: String, kind: PropertyListError.Kind)] = [
      ("<plist/>", .malformed), ("<plist></plist>", .malformed), ("<plist><dict>", .truncated),
      ("<plist><dict><key>a</key></dict></plist>", .malformed),
      ("<plist><dict><integer>1</integer></dict></plist>", .keyNotString),
      ("<plist><array><true/></dict></plist>", .malformed),
      ("<plist><true/><true/></plist>", .malformed), ("<plist><true/></plist>x", .malformed),
      ("<plist>text</plist>", .malformed), ("<plist><string>a", .truncated),
      ("<plist><string>a<b/></string></plist>", .malformed), ("<!-- a", .truncated),
      ("<!DOCTYPE a", .truncated), ("<plist", .truncated),
      ("<?xml encoding=\"EBCDIC\"?><plist><true/></plist>", .unsupported),
    ]
    for (text, kind) in cases { #expect(error(text)?.kind == kind, "\(text)") }
  }

  // P-2
  @Test(arguments: [1e13, -1e13])
  func `every date that can be written can be read`(_ seconds: Double) throws {
    let date = PropertyListValue.date(PropertyListDate(secondsSinceReference: seconds))
    for format in [PropertyListFormat.xml, .openStep] {
      let bytes = try PropertyList.encode(date, as: format)
      #expect(try PropertyList.decode(bytes).value == date)
    }
  }
}
