import Foundation
import StrataTesting
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// That values which Foundation on Linux loses or spoils are the same in a process that finds them
/// on the disk.
@Suite(.serialized, .waiting) struct ExactValueProcessTests {
  /// A key, how it is set, and what another process's accessor must say.
  private struct Value {
    let accessor: String
    let text: String
    let object: Any

    init(_ accessor: String, _ text: String, _ object: Any) {
      self.accessor = accessor
      self.text = text
      self.object = object
    }
  }

  private static var values: [Value] {
    let tenth = Date(timeIntervalSinceReferenceDate: 0.1)
    let web = "http://user@example.com:80/a%20b?q=1#f"
    return [
      Value("integer", "\(Int.max)", Int.max), Value("integer", "\(Int.min)", Int.min),
      Value("unsigned", "\(UInt64.max)", UInt64.max),
      Value("double", "\((-0.0).bitPattern)", -0.0),
      Value("double", "\(Double(Float(0.1)).bitPattern)", Float(0.1)),
      Value("float", "\(Float(0.1).bitPattern)", Float(0.1)), Value("text", "0.1", Float(0.1)),
      Value("double", "\(Double.infinity.bitPattern)", Double.infinity),
      Value("double", "\(0.1.bitPattern)", Decimal(string: "0.1") as Any),
      Value("integer", "12345678901234567", Decimal(string: "12345678901234567") as Any),
      Value("date", "\(0.1.bitPattern)", tenth),
      Value(
        "date", "\((-1e10 - 0.25).bitPattern)", Date(timeIntervalSinceReferenceDate: -1e10 - 0.25)),
      Value("url", "\(web) from nothing", URL(string: web) as Any),
      Value("url", "c?d from http://example.com/a/", relative as Any),
      Value("text", "a\u{1}b", "a\u{1}b"), Value("text", "", ""),
    ]
  }

  private static var relative: URL? {
    URL(string: "c?d", relativeTo: URL(string: "http://example.com/a/"))
  }

  // V-18, V-22
  @Test func `values are exact in a process that finds them in the file`() throws {
    let fixture = try DefaultsFixture()
    for (number, value) in Self.values.enumerated() {
      fixture.defaults.set(value.object, forKey: "key\(number)")
    }
    fixture.flush()
    try expectValues(in: fixture)
  }

  // V-18, V-22
  @Test func `values are exact in a process that finds them in the journal`() throws {
    let fixture = try DefaultsFixture()
    for (number, value) in Self.values.enumerated() {
      fixture.defaults.set(value.object, forKey: "key\(number)")
    }
    try expectValues(in: fixture)
  }

  private func expectValues(in fixture: DefaultsFixture) throws {
    let probe = try ProbeProcess.serving(fixture)
    for (number, value) in Self.values.enumerated() {
      let answer = try probe.ask("get", value.accessor, "key\(number)")
      let expected = value.text.replacing("c?d from", with: "http://example.com/a/c?d from")
      #expect(answer == expected, "\(value)")
    }
    #expect(try probe.ask("own") == "\(Self.values.count)")
    #expect(try probe.ask("issues") == "[]")
  }

  // V-25
  @Test func `no key spoils the others`() throws {
    let fixture = try DefaultsFixture()
    let keys = ["\u{1}", "\u{8}\u{1B}[0m", "\n", "", "\u{FFFE}", "\u{7F}", "plain"]
    for (number, key) in keys.enumerated() { fixture.defaults.set(number, forKey: key) }
    fixture.flush()
    let probe = try ProbeProcess.serving(fixture)
    for (number, key) in keys.enumerated() {
      #expect(try probe.ask("get", "integer", key) == "\(number)", "\(key.debugDescription)")
    }
    #expect(try probe.ask("own") == "\(keys.count)")
  }

  // V-22
  @Test func `no value spoils the others`() throws {
    let fixture = try DefaultsFixture()
    let defaults = fixture.defaults
    let deepest = (1..<511).reduce([] as [Any]) { inner, _ in [inner] }
    defaults.set("x", forKey: "plain")
    defaults.set(Date(timeIntervalSinceReferenceDate: .nan), forKey: "no date")
    defaults.set(Date(timeIntervalSinceReferenceDate: .infinity), forKey: "never")
    defaults.set(Double.nan, forKey: "no number")
    defaults.set(deepest, forKey: "deep")
    #expect(throws: DefaultsError.self) { try defaults.store([deepest], forKey: "deeper") }
    fixture.flush()
    let probe = try ProbeProcess.serving(fixture)
    #expect(try probe.ask("get", "text", "plain") == "x")
    let bits = try #require(UInt64(try probe.ask("get", "date", "no date")))
    #expect(Double(bitPattern: bits).isNaN)
    #expect(try probe.ask("get", "date", "never") == "\(Double.infinity.bitPattern)")
    #expect(try probe.ask("get", "text", "no number") == "nan")
    #expect(try probe.ask("get", "depth", "deep") == "511")
    #expect(try probe.ask("get", "type", "deeper") == "nil")
    #expect(try probe.ask("own") == "5")
    #expect(try probe.ask("issues") == "[]")
  }
}
