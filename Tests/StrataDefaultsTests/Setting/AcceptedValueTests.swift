import Foundation
import StrataDomains
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// What the class takes, and that it is the same when it comes back.
struct AcceptedValueTests {
  private static var accepted: [(object: Any, value: PropertyListValue)] {
    [
      (true, .boolean(true)), (1, .integer(1)), (Int8(-8), .integer(-8)),
      (Int16(16), .integer(16)), (Int32(32), .integer(32)), (Int64.max, .integer(.max)),
      (UInt(7), .integer(7)), (UInt8(8), .integer(8)), (UInt16(16), .integer(16)),
      (UInt32.max, .integer(0xFFFF_FFFF)), (UInt64.max, .unsigned(.max)),
      (Int128(UInt64.max), .unsigned(.max)), (UInt128(5), .integer(5)),
      (Float(0.1), .single(0.1)), (0.1, .real(0.1)), (CGFloat(1.5), .real(1.5)),
      (Decimal(42), .integer(42)), (Decimal(string: "0.1") as Any, .real(0.1)),
      ("x", .string("x")), ("abc".dropFirst(), .string("bc")),
      (Data([1, 2]), .data([1, 2])), (Data([UInt8]([3])), .data([3])),
      ([1, 2] as [UInt8], .array([.integer(1), .integer(2)])),
      (
        Date(timeIntervalSinceReferenceDate: 0.125),
        .date(PropertyListDate(secondsSinceReference: 0.125))
      ),
      (NSNumber(value: true), .boolean(true)), (NSNumber(value: 1), .integer(1)),
      (NSNumber(value: Float(0.1)), .single(0.1)), (NSNumber(value: UInt64.max), .unsigned(.max)),
      (NSDecimalNumber(string: "7"), .integer(7)), (NSString("x"), .string("x")),
      (NSData(data: Data([1])), .data([1])),
      (
        NSDate(timeIntervalSinceReferenceDate: 0.5),
        .date(PropertyListDate(secondsSinceReference: 0.5))
      ),
      (NSArray(array: [1, "x"]), .array([.integer(1), .string("x")])),
      (NSDictionary(dictionary: ["a": 1.5]), .dictionary(["a": .real(1.5)])),
      (
        ["a": [["b": [true]]]],
        .dictionary(["a": .array([.dictionary(["b": .array([.boolean(true)])])])])
      ),
      ([Any](), .array([])), ([String: Any](), .dictionary([:])),
    ]
  }

  // V-21
  @Test func `each type that a property list holds is stored as what it is`() throws {
    let defaults = try DefaultsFixture().defaults
    for (object, value) in Self.accepted {
      defaults.set(object, forKey: "key")
      #expect(defaults.stack.value(forKey: "key") == value, "\(type(of: object)) \(object)")
      defaults.removeObject(forKey: "key")
      try defaults.store(object, forKey: "key")
      #expect(defaults.stack.value(forKey: "key") == value, "\(type(of: object)) \(object)")
    }
  }

  // V-21
  @Test func `numbers of widths that no property list has are refused`() throws {
    let defaults = try DefaultsFixture().defaults
    #expect(throws: DefaultsError.self) { try defaults.store(Float16(1), forKey: "key") }
    #expect(throws: DefaultsError.self) { try defaults.store(Int128.max, forKey: "key") }
    #if arch(x86_64)
      #expect(throws: DefaultsError.self) { try defaults.store(Float80(1), forKey: "key") }
    #endif
    #expect(defaults.object(forKey: "key") == nil)
  }

  // V-22
  @Test func `the way there and back is exact, through the setters of each type`() throws {
    let defaults = try DefaultsFixture().defaults
    for number in [0, 1, -1, Int.max, .min, (1 << 53) + 1, -(1 << 53) - 1] {
      defaults.set(number, forKey: "key")
      #expect(defaults.integer(forKey: "key") == number)
      #expect(defaults.object(forKey: "key") as? Int == number)
    }
    for number: UInt64 in [.max, 1 << 63, (1 << 53) + 1] {
      defaults.set(number, forKey: "key")
      #expect(defaults.object(forKey: "key") as? UInt64 == number)
    }
    for number in [0.1, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude, 1e308, .pi] {
      defaults.set(number, forKey: "key")
      #expect(defaults.double(forKey: "key").bitPattern == number.bitPattern)
      #expect((defaults.object(forKey: "key") as? Double)?.bitPattern == number.bitPattern)
    }
    defaults.set(Float(0.1), forKey: "key")
    #expect(defaults.double(forKey: "key") == Double(Float(0.1)))
    #expect(defaults.float(forKey: "key") == Float(0.1))
    #expect(defaults.string(forKey: "key") == "0.1", "it is a Float still")
    defaults.set(Double.nan, forKey: "key")
    #expect(defaults.double(forKey: "key").isNaN)
    for seconds in [0.1, -0.1, 1e9 + 0.123_456, -63_114_076_800, 1e300] {
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      defaults.set(date, forKey: "key")
      #expect(defaults.object(forKey: "key") as? Date == date)
    }
  }

  // V-22, O-3
  @Test func `a text takes the place of one that looks the same`() throws {
    let defaults = try DefaultsFixture().defaults
    let told = Guarded<[[UInt8]]>([])
    let token = defaults.observe("key", as: String.self) { change in
      told.withLock { $0.append(Array((change.new ?? "").utf8)) }
    }
    let names = ["caf\u{E9}", "cafe\u{301}", "a\u{323}\u{307}", "a\u{307}\u{323}"]
    for name in names {
      defaults.set(name, forKey: "key")
      #expect(defaults.string(forKey: "key").map { Array($0.utf8) } == Array(name.utf8))
      defaults.set([name], forKey: "list")
      #expect(defaults.stringArray(forKey: "list").map { Array($0[0].utf8) } == Array(name.utf8))
    }
    #expect(told.withLock { $0 } == names.map { Array($0.utf8) })
    token.cancel()
  }

  // V-23
  @Test func `to set nil is to remove`() throws {
    let defaults = try DefaultsFixture().defaults
    let ways: [(UserDefaults) -> Void] = [
      { $0.set(nil, forKey: "key") }, { $0.set(nil as Any?, forKey: "key") },
      { $0.set(Int?.none as Any?, forKey: "key") }, { $0.set(nil as URL?, forKey: "key") },
      { $0.setValue(nil, forKey: "key") }, { $0.removeObject(forKey: "key") },
    ]
    defaults.register(defaults: ["key": "registered"])
    for (index, remove) in ways.enumerated() {
      defaults.set(1, forKey: "key")
      remove(defaults)
      #expect(defaults.string(forKey: "key") == "registered", "way \(index)")
      remove(defaults)
      #expect(defaults.persistentDomain(forName: DefaultsFixture.identifier) == nil)
    }
    defaults.set(1, forKey: "key")
    try defaults.store(nil, forKey: "key")
    #expect(defaults.string(forKey: "key") == "registered")
  }

  // V-25
  @Test func `every text can be a key, in the file too`() throws {
    let fixture = try DefaultsFixture()
    let keys = [
      "", ".", "..", "a.b.c", "a@b", "/", " ", "\u{1}", "\n\t\r", "\u{7F}", "🙂", "日本語",
      "\u{FFFF}", "<&>\"'", String(repeating: "x", count: 1 << 16),
    ]
    for (number, key) in keys.enumerated() { fixture.defaults.set(number, forKey: key) }
    fixture.flush()
    for (number, key) in keys.enumerated() {
      #expect(fixture.defaults.object(forKey: key) as? Int == number, "\(key.prefix(20))")
    }
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: fixture.plist)))
    guard case .dictionary(let values) = try PropertyList.decode(bytes).value else {
      Issue.record("the file holds no dictionary")
      return
    }
    #expect(Set(values.keys) == Set(keys))
  }

  // V-25
  @Test func `keys are the same when their texts are, in files too`() throws {
    let fixture = try DefaultsFixture(
      system: ["com.example.app.plist": ["caf\u{E9}": .integer(1), "o\u{308}": .integer(2)]])
    let defaults = fixture.defaults
    #expect(defaults.integer(forKey: "cafe\u{301}") == 1)
    #expect(defaults.integer(forKey: "\u{F6}") == 2)
    defaults.set(3, forKey: "cafe\u{301}")
    #expect(defaults.integer(forKey: "caf\u{E9}") == 3)
    defaults.set(4, forKey: "caf\u{E9}")
    #expect(defaults.persistentDomain(forName: DefaultsFixture.identifier)?.count == 1)
    defaults.removeObject(forKey: "cafe\u{301}")
    #expect(defaults.integer(forKey: "caf\u{E9}") == 1)
  }
}
