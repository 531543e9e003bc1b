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

  /// Keeps all values itself, as those for tests do; made without an argument.
  private final class Mock: UserDefaults, @unchecked Sendable {
    // Safety: used by one thread.
    nonisolated(unsafe) var kept: [String: Any] = [:]

    init() { super.init(on: UserDefaults.inMemory().stack) }

    override func object(forKey defaultName: String) -> Any? { kept[defaultName] }
    override func set(_ value: Any?, forKey defaultName: String) { kept[defaultName] = value }
  }

  /// The usual forms of a subclass for tests.
  private final class Named: UserDefaults, @unchecked Sendable {
    convenience init() { self.init(suiteName: "com.example.tests")! }
    override init?(suiteName: String?) { super.init(suiteName: suiteName) }
  }
  private final class Own: UserDefaults, @unchecked Sendable {
    init() { super.init(suiteName: "com.example.tests")! }
  }

  // W-4
  @Test func `a subclass may have initializers of its own`() {
    let makers: [@Sendable () -> UserDefaults] = [{ Named() }, { Own() }]
    #expect(makers.count == 2)
  }

  // W-4
  @Test func `every setter of a subclass goes through the one for objects`() {
    let mock = Mock()
    mock.set(7, forKey: "integer")
    mock.set(true, forKey: "bool")
    mock.set(2.5, forKey: "double")
    mock.set(Float(0.5), forKey: "float")
    mock.set(URL(filePath: "/x"), forKey: "url")
    mock.setValue("text", forKey: "string")
    #expect(mock.kept.count == 6)
    #expect(mock.integer(forKey: "integer") == 7 && mock.bool(forKey: "bool"))
    #expect(mock.double(forKey: "double") == 2.5 && mock.float(forKey: "float") == 0.5)
    #expect(mock.url(forKey: "url") == URL(filePath: "/x"))
    #expect(mock.string(forKey: "string") == "text")
    mock.removeObject(forKey: "bool")
    mock.set(nil as URL?, forKey: "url")
    #expect(mock.kept.keys.sorted() == ["double", "float", "integer", "string"])
    #expect(mock.stack.values()["integer"] == nil)
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
