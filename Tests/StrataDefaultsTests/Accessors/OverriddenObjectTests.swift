import Foundation
import StrataDomains
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// That a subclass decides what all accessors say, by one method.
struct OverriddenObjectTests {
  /// Says something else of some keys, and counts nothing as `gone`.
  private final class Overriding: UserDefaults, @unchecked Sendable {
    static let answers: [String: any Sendable] = [
      "integer": 42, "text": "3.5", "bool": "YES", "real": Float(0.1), "data": Data([1, 2]),
      "texts": ["a", "b"], "dictionary": ["a": 1], "path": "/x", "url": URL(filePath: "/y"),
      "foreign": 1...2, "optional": Optional<Int>.some(7),
    ]

    override func object(forKey defaultName: String) -> Any? {
      if defaultName == "gone" { return nil }
      return Self.answers[defaultName] ?? super.object(forKey: defaultName)
    }
  }

  // V-4
  @Test func `every accessor goes by what the override returns`() throws {
    let fixture = try DefaultsFixture()
    for key in Overriding.answers.keys { fixture.defaults.set("stored", forKey: key) }
    let defaults = Overriding(on: fixture.defaults.stack)
    #expect(defaults.integer(forKey: "integer") == 42)
    #expect(defaults.string(forKey: "integer") == "42")
    #expect(defaults.double(forKey: "text") == 3.5 && defaults.float(forKey: "text") == 3.5)
    #expect(defaults.bool(forKey: "bool"))
    #expect(defaults.double(forKey: "real") == Double(Float(0.1)))
    #expect(defaults.data(forKey: "data") == Data([1, 2]))
    #expect(defaults.stringArray(forKey: "texts") == ["a", "b"])
    #expect(defaults.array(forKey: "texts") as? [String] == ["a", "b"])
    #expect(defaults.dictionary(forKey: "dictionary") as? [String: Int] == ["a": 1])
    #expect(defaults.url(forKey: "path") == URL(filePath: "/x"))
    #expect(defaults.url(forKey: "url") == URL(filePath: "/y"))
    #expect(defaults.integer(forKey: "optional") == 7)
    #expect(defaults.value(forKey: "integer") as? Int == 42)
    #expect(fixture.defaults.integer(forKey: "integer") == 0, "of the class itself")
  }

  // V-4
  @Test func `what the override returns nothing for has no value`() throws {
    let fixture = try DefaultsFixture()
    fixture.defaults.set(["1"], forKey: "gone")
    fixture.defaults.set("1", forKey: "foreign")
    let defaults = Overriding(on: fixture.defaults.stack)
    for key in ["gone", "foreign"] {
      #expect(defaults.string(forKey: key) == nil && defaults.integer(forKey: key) == 0)
      #expect(defaults.array(forKey: key) == nil && defaults.stringArray(forKey: key) == nil)
      #expect(!defaults.bool(forKey: key) && defaults.double(forKey: key) == 0)
    }
    #expect(defaults.value(forKey: "gone") == nil)
  }

  // V-4
  @Test func `what the override leaves to the class is what is stored`() throws {
    let fixture = try DefaultsFixture()
    let defaults = Overriding(on: fixture.defaults.stack)
    defaults.set(-0.0, forKey: "real number")
    defaults.set(Float(0.1), forKey: "single")
    defaults.set(true, forKey: "flag")
    #expect(defaults.double(forKey: "real number").sign == .minus)
    #expect(defaults.string(forKey: "single") == "0.1")
    #expect(defaults.string(forKey: "flag") == "1" && defaults.bool(forKey: "flag"))
  }
}
