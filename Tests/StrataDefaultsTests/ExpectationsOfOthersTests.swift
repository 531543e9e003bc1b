import Foundation
import StrataDomains
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// What the tests of the toolchain's own `UserDefaults` expect of it, asked of ours: registered and
/// set values of Swift's and of Foundation's types, each conversion, and domains as a whole.
@Suite struct ExpectationsOfOthersTests {
  private static let url = URL(fileURLWithPath: "/hello/world")
  private static let bytes: [UInt8] = [0, 1, 2, 3, 4]

  struct Case: CustomTestStringConvertible, @unchecked Sendable {
    // Safety: a constant that nobody changes.
    let value: Any
    let expected: @Sendable (UserDefaults) -> Bool
    let testDescription: String

    init(_ name: String, _ value: Any, _ expected: @escaping @Sendable (UserDefaults) -> Bool) {
      self.value = value
      self.expected = expected
      testDescription = name
    }
  }

  private static let key = "key1"

  static let cases = [
    Case("NSNumber", NSNumber(value: 5)) { $0.integer(forKey: key) == 5 },
    Case("NSString", "hello" as NSString) { $0.string(forKey: key) == "hello" },
    Case("String", "hello") { $0.string(forKey: key) == "hello" },
    Case("NSURL", NSURL(fileURLWithPath: "/hello/world")) { $0.url(forKey: key) == url },
    Case("URL", url) { $0.url(forKey: key) == url },
    Case("NSData", NSData(data: Data(bytes))) { $0.data(forKey: key) == Data(bytes) },
    Case("Data", Data(bytes)) { $0.data(forKey: key) == Data(bytes) },
    Case("Bool from String", "YES") { $0.bool(forKey: key) },
    Case("Int from String", "1234") { $0.integer(forKey: key) == 1234 },
    Case("Double from String", "12.34") { $0.double(forKey: key) == 12.34 },
    Case("Float from String", "1234") { $0.float(forKey: key) == 1234 },
    Case("Int from Bool", true) { $0.integer(forKey: key) == 1 },
    Case("Int from Float", Float(12.34)) { $0.integer(forKey: key) == 12 },
    Case("Int from Double", 12.34) { $0.integer(forKey: key) == 12 },
    Case("Float from Bool", true) { $0.float(forKey: key) == 1 },
    Case("Float from Int", 42) { $0.float(forKey: key) == 42 },
    Case("Float from Double", 12.34) { $0.float(forKey: key) == 12.34 },
    Case("Double from Bool", true) { $0.double(forKey: key) == 1 },
    Case("Double from Int", 42) { $0.double(forKey: key) == 42 },
    Case("Double from Float", Float(12.34)) {
      $0.double(forKey: key) == Double(Float(12.34))
    },
    Case("String from Bool", true) { $0.string(forKey: key) == "1" },
    Case("String from Int", 42) { $0.string(forKey: key) == "42" },
    Case("String from Float", Float(12.34)) { $0.string(forKey: key) == "12.34" },
    Case("String from Double", 12.34) { $0.string(forKey: key) == "12.34" },
  ]

  // V-1…V-9, V-13, V-17, V-19, V-21
  @Test(arguments: cases) func `a value is found as they expect it`(item: Case) throws {
    let registered = try DefaultsFixture().defaults
    registered.register(defaults: [Self.key: item.value])
    registered.removeObject(forKey: Self.key)
    #expect(item.expected(registered), "registered")
    let stored = try DefaultsFixture().defaults
    stored.set(item.value, forKey: Self.key)
    #expect(item.expected(stored), "set")
  }

  // Safety: a constant that nobody changes.
  nonisolated(unsafe) private static let list: [String: Any] = [
    "A Date": Date(timeIntervalSinceReferenceDate: 750_000_000.25), "A String": "The String",
    "An Integer": 1234, "A Double": 5678.1234, "An Array": [1, 2, 3], "A Bool": true,
    "Mixed": [1, 2, "Surprise"] as [Any], "Some Data": Data("The Data".utf8),
    "A Dictionary": ["Swift": "Imperative", "Today": Date(timeIntervalSinceReferenceDate: 1)]
      as [String: Any],
  ]

  private func expectList(_ found: [String: Any]) throws {
    #expect(found.count == Self.list.count)
    #expect(found["A Date"] as? Date == Date(timeIntervalSinceReferenceDate: 750_000_000.25))
    #expect(found["A String"] as? String == "The String")
    #expect(found["An Integer"] as? Int == 1234)
    #expect(found["A Double"] as? Double == 5678.1234)
    #expect(found["An Array"] as? [Int] == [1, 2, 3])
    #expect(found["A Bool"] as? Bool == true)
    #expect(found["Some Data"] as? Data == Data("The Data".utf8))
    let mixed = try #require(found["Mixed"] as? [AnyHashable])
    #expect(mixed == [1, 2, "Surprise"])
    let dictionary = try #require(found["A Dictionary"] as? [String: AnyHashable])
    #expect(
      dictionary == ["Swift": "Imperative", "Today": Date(timeIntervalSinceReferenceDate: 1)])
  }

  // D-16, D-17
  @Test func `a volatile domain holds what was put there`() throws {
    let defaults = try DefaultsFixture().defaults
    #expect(!defaults.volatileDomainNames.contains("TestDomain"))
    defaults.setVolatileDomain(Self.list, forName: "TestDomain")
    try expectList(defaults.volatileDomain(forName: "TestDomain"))
  }

  // D-12, D-13, O-11
  @Test func `a persistent domain is seen by every object and each change posted once`() throws {
    let fixture = try DefaultsFixture()
    let name = "org.example.TestPersistentDomainName"
    nonisolated(unsafe) var count = 0
    let token = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: fixture.defaults, queue: nil
    ) { _ in count += 1 }
    defer { NotificationCenter.default.removeObserver(token) }
    fixture.defaults.removePersistentDomain(forName: name)
    #expect(fixture.defaults.persistentDomain(forName: name) == nil)
    fixture.defaults.setPersistentDomain(Self.list, forName: name)
    let other = try fixture.suite("org.example.other")
    try expectList(try #require(other.persistentDomain(forName: name)))
    fixture.defaults.removePersistentDomain(forName: name)
    #expect(other.persistentDomain(forName: name) == nil)
    #expect(count == 3)
  }
}
