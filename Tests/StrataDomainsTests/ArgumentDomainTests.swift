import Foundation
import StrataDomains
import StrataPropertyList
import StrataTesting
import Testing

/// What a command line says of defaults.
struct ArgumentDomainTests {
  private func parse(_ arguments: String...) -> [String: PropertyListValue] {
    ArgumentDomain.parse(arguments)
  }

  // D-22
  @Test func `a key with one hyphen has the value behind it`() {
    #expect(parse() == [:])
    #expect(parse("-a", "1", "-b", "") == ["a": .string("1"), "b": .string("")])
    #expect(parse("-a", "1", "-a", "2") == ["a": .string("2")])
    #expect(parse("-a=b", "c") == ["a=b": .string("c")])
    #expect(parse("-1", "x") == ["1": .string("x")])
    #expect(parse("-\u{301}", "x") == ["\u{301}": .string("x")])
  }

  // D-22
  @Test(
    arguments: [
      ("5", .string("5")), ("YES", .string("YES")), (" (a)", .string(" (a)")),
      ("(de)", .array([.string("de")])),
      ("(de, 'en US')", .array([.string("de"), .string("en US")])),
      ("()", .array([])), ("{a=1;}", .dictionary(["a": .string("1")])), ("{}", .dictionary([:])),
      ("<deadbeef>", .data([0xDE, 0xAD, 0xBE, 0xEF])),
      ("<dead beef>", .data([0xDE, 0xAD, 0xBE, 0xEF])),
      ("<>", .data([])), ("\"two words\"", .string("two words")),
      ("<true/>", .boolean(true)), ("<false/>", .boolean(false)),
      ("<integer>-5</integer>", .integer(-5)),
      ("<integer>18446744073709551615</integer>", .unsigned(.max)),
      ("<real>1.5</real>", .real(1.5)),
      ("<string>a&lt;b</string>", .string("a<b")), ("<data>AQI=</data>", .data([1, 2])),
      ("<date>2001-01-01T00:00:00Z</date>", .date(PropertyListDate(secondsSinceReference: 0))),
      ("<array><true/></array>", .array([.boolean(true)])), ("<array/>", .array([])),
      ("<dict><key>a</key><string/></dict>", .dictionary(["a": .string("")])),
      ("<plist version=\"1.0\"><true/></plist>", .boolean(true)),
      ("<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist><true/></plist>", .boolean(true)),
      ("<!-- yes --><true/>", .boolean(true)),
    ] as [(String, PropertyListValue)])
  func `a value that begins like a property list is read as one`(
    text: String, value: PropertyListValue
  ) {
    #expect(parse("-a", text) == ["a": value])
  }

  // D-22, D-25
  @Test(arguments: [
    "(load \"test.scm\")", "(", "{", "[", "<", "\"", "(a", "{a}", "[1, 2]", "{\"a\": 1}", "<abc>",
    "<integer>x</integer>", "<integer>5", "<true/><true/>", "<true/>x", "<html>", "(a) b",
    "\"a\" b",
    "(\u{301}a)", "<!-- ", "<?xml", "(a,\u{FFFD})",
  ])
  func `what is no property list after all stays a text`(text: String) {
    #expect(parse("-a", text) == ["a": .string(text)])
  }

  // D-23
  @Test func `what begins with a hyphen is the next key`() {
    #expect(parse("-a", "-b", "v") == ["b": .string("v")])
    #expect(parse("-n", "-5") == [:])
    #expect(parse("-n", "<integer>-5</integer>") == ["n": .integer(-5)])
    #expect(parse("-n", "-5", "6") == ["5": .string("6")])
    #expect(parse("-n", "-\u{301}", "6") == ["\u{301}": .string("6")])
  }

  // D-24
  @Test func `what is no pair is passed over and two hyphens end it`() {
    #expect(parse("-a") == [:])
    #expect(parse("word", "-a", "1", "word", "-b", "2", "word") == parse("-a", "1", "-b", "2"))
    #expect(parse("--long", "value", "-a", "1") == ["a": .string("1")])
    #expect(parse("-a", "--long", "value") == [:])
    #expect(parse("--long=value", "---", "x", "--\u{301}", "y") == [:])
    #expect(parse("-a", "1", "--", "-b", "2") == ["a": .string("1")])
    #expect(parse("-a", "--", "1") == [:])
    #expect(parse("-", "1", "-a", "-", "2") == [:])
    #expect(parse("", "-a", "1") == ["a": .string("1")])
  }

  // D-25
  @Test func `a megabyte of parentheses is a text`() {
    let text = String(repeating: "(", count: 1_000_000)
    #expect(parse("-a", text) == ["a": .string(text)])
    #expect(parse("-" + text, "1") == [text: .string("1")])
  }

  // D-25
  @Test(arguments: ["{", "[", "<", "\"", "{a=", "(<", "<!--", "<array>", "<dict><key>", "\\"])
  func `openings without an end are a text`(piece: String) {
    let text = String(repeating: piece, count: 100_000 / piece.utf8.count)
    #expect(parse("-a", "(" + text) == ["a": .string("(" + text)])
    #expect(parse("-a", "<" + text) == ["a": .string("<" + text)])
  }

  // D-25
  @Test func `bytes that are no text are mended and parsed`() {
    let bytes: [UInt8] = [0x28, 0xFF, 0xC3, 0x28, 0x80, 0x29]
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(parse("-a", text) == ["a": .string(text)])
  }

  // D-25
  @Test(arguments: 0..<20)
  func `no arguments crash the parse and every key is one of them`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let parts = [
      "-", "--", "(", ")", "{", "}", "<", ">", "\"", "=", ";", ",", "a", "5", " ", "\\U", "/*",
      "<!",
      "<true/>", "<array>", "</array>", "<*I", "<[", "\u{301}", "é", "\0", "&#x", "CF$UID",
    ]
    for _ in 0..<500 {
      let arguments = (0..<Int.random(in: 0..<6, using: &random)).map { _ in
        (0..<Int.random(in: 0..<8, using: &random))
          .map { _ in parts.randomElement(using: &random) ?? "" }.joined()
      }
      for key in ArgumentDomain.parse(arguments).keys {
        #expect(arguments.contains("-" + key), "\(arguments), seed \(seed)")
      }
    }
  }

  // D-22
  @Test func `the domain of this process is that of its own arguments`() {
    #expect(
      ArgumentDomain.current() == ArgumentDomain.parse(CommandLine.arguments.dropFirst()))
  }
}
