import Foundation
import StrataDefaults
import StrataPropertyList
import StrataTesting
import Testing

/// What callers may store, and as which value it is stored.
struct IncomingValueTests {
  /// Each type as it is written in Swift, and the value it must become.
  private static var scalars: [(object: Any, value: PropertyListValue)] {
    let reference = Date(timeIntervalSinceReferenceDate: 0.125)
    return [
      (true, .boolean(true)), (false, .boolean(false)),
      (1, .integer(1)), (Int.min, .integer(.min)),
      (Int8(-8), .integer(-8)), (Int16(16), .integer(16)), (Int32(32), .integer(32)),
      (Int64.max, .integer(.max)), (Int128(-128), .integer(-128)),
      (UInt(7), .integer(7)), (UInt8.max, .integer(255)), (UInt16.max, .integer(65535)),
      (UInt32.max, .integer(0xFFFF_FFFF)), (UInt64(5), .integer(5)),
      (UInt64(1) << 63, .unsigned(1 << 63)), (UInt64.max, .unsigned(.max)),
      (UInt.max, .unsigned(.max)),
      (UInt128(UInt64.max), .unsigned(.max)),
      (0.1, .real(0.1)), (1.0, .real(1)), (-0.0, .real(-0.0)), (Double.nan, .real(.nan)),
      (-Double.infinity, .real(-.infinity)),
      (Float(0.1), .single(0.1)),
      (CGFloat(1.5), .real(1.5)),
      ("x", .string("x")), ("", .string("")), ("abc".dropFirst(), .string("bc")),
      (Data([1, 2]), .data([1, 2])), (Data([1, 2, 3]).dropFirst(), .data([2, 3])),
      (reference, .date(PropertyListDate(secondsSinceReference: 0.125))),
    ]
  }

  /// Foundation's objects, where the class says less than the number's own type.
  private static var instances: [(object: Any, value: PropertyListValue)] {
    [
      (NSNumber(value: true), .boolean(true)), (NSNumber(value: false), .boolean(false)),
      (NSNumber(value: 1), .integer(1)), (NSNumber(value: 0), .integer(0)),
      (NSNumber(value: Int8(1)), .integer(1)), (NSNumber(value: UInt8(200)), .integer(200)),
      (NSNumber(value: Int64.min), .integer(.min)),
      (NSNumber(value: UInt32.max), .integer(0xFFFF_FFFF)),
      (NSNumber(value: UInt64(5)), .integer(5)), (NSNumber(value: UInt64.max), .unsigned(.max)),
      (NSNumber(value: 1.0), .real(1)), (NSNumber(value: -0.0), .real(-0.0)),
      (NSNumber(value: Float(0.1)), .single(0.1)), (NSNumber(value: Float(1)), .single(1)),
      (NSString("x"), .string("x")), (NSMutableString(string: "é🙂"), .string("é🙂")),
      (NSData(data: Data([1])), .data([1])), (NSMutableData(length: 2) as Any, .data([0, 0])),
      (
        NSDate(timeIntervalSinceReferenceDate: 0.5),
        .date(PropertyListDate(secondsSinceReference: 0.5))
      ),
      (NSArray(array: [1, true, "x"]), .array([.integer(1), .boolean(true), .string("x")])),
      (NSArray(array: [Int128(1), CGFloat(2)]), .array([.integer(1), .real(2)])),
      (NSDictionary(dictionary: ["a": 1.5]), .dictionary(["a": .real(1.5)])),
      (
        NSMutableDictionary(object: NSMutableArray(), forKey: NSString("a")),
        .dictionary(["a": .array([])])
      ),
    ]
  }

  private static var containers: [(object: Any, value: PropertyListValue)] {
    let some: Int? = 3
    return [
      ([Any](), .array([])), ([String: Any](), .dictionary([:])),
      ([1, 2], .array([.integer(1), .integer(2)])),
      ([UInt8(1), 2], .array([.integer(1), .integer(2)])),
      (["a", "b"].map { $0[...] }, .array([.string("a"), .string("b")])),
      ([[1], [true]] as [Any], .array([.array([.integer(1)]), .array([.boolean(true)])])),
      ([some, 4], .array([.integer(3), .integer(4)])),
      (["a": ["b": Float(1)]], .dictionary(["a": .dictionary(["b": .single(1)])])),
      (["a": NSNumber(value: true)] as [AnyHashable: Any], .dictionary(["a": .boolean(true)])),
      ([NSString("a"): 1], .dictionary(["a": .integer(1)])),
      (["ab".dropLast(): 1], .dictionary(["a": .integer(1)])),
      (["a": 1] as [String: AnyHashable], .dictionary(["a": .integer(1)])),
      (["a": some as Any], .dictionary(["a": .integer(3)])),
    ]
  }

  // V-21, V-22
  @Test func `what a property list can hold keeps its type and its value exactly`() throws {
    for (object, value) in Self.scalars + Self.instances + Self.containers {
      #expect(try Bridge.value(of: object) == value, "\(type(of: object)) \(object)")
      #expect(try Bridge.value(of: [object]) == .array([value]), "in an array: \(object)")
      #expect(
        try Bridge.value(of: ["k": object] as NSDictionary) == .dictionary(["k": value]),
        "in a dictionary of Foundation's: \(type(of: object)) \(object)")
    }
  }

  // V-22
  @Test func `reals that are no numbers survive`() throws {
    let infinite: PropertyListValue = .single(.infinity)
    #expect(try Bridge.value(of: Float.infinity) == infinite)
    #expect(try Bridge.value(of: NSNumber(value: Double.nan)) == .real(.nan))
    // Foundation says of such a Float's NSNumber that it is a double; the value is the same.
    #expect(try Bridge.value(of: Bridge.object(of: infinite)) == .real(.infinity))
  }

  // V-21
  @Test func `an optional and a hashable box count as what is in them`() throws {
    for (object, value) in Self.scalars + Self.instances {
      let boxed: Any?? = object
      #expect(try Bridge.value(of: boxed as Any) == value, "\(object)")
      guard let hashable = object as? AnyHashable else { continue }
      #expect(try Bridge.value(of: hashable) == value, "\(type(of: object)) \(object)")
    }
  }

  // V-21, V-22
  @Test func `a decimal number is the integer that it is, else the nearest real`() throws {
    let cases: [(String, PropertyListValue)] = [
      ("0", .integer(0)), ("42", .integer(42)), ("-9223372036854775808", .integer(.min)),
      ("18446744073709551615", .unsigned(.max)), ("18446744073709551616", .real(0x1p64)),
      ("1e3", .integer(1000)), ("2.0", .integer(2)), ("1.5", .real(1.5)), ("0.1", .real(0.1)),
      ("0.3", .real(0.3)), ("123456789.123456789", .real(123456789.123456789)),
      ("1e-100", .real(1e-100)), ("NaN", .real(.nan)),
    ]
    for (text, value) in cases {
      let decimal = Decimal(string: text) ?? .nan
      #expect(try Bridge.value(of: decimal) == value, "\(text)")
      #expect(try Bridge.value(of: NSDecimalNumber(decimal: decimal)) == value, "\(text)")
    }
    let tenths = Decimal(sign: .plus, exponent: -1, significand: 20)
    #expect(try Bridge.value(of: tenths) == .integer(2))
  }

  // V-22
  @Test(arguments: 0..<40)
  func `a value that was read can be stored again and is the same`(seed: UInt64) throws {
    var limits = ValueGenerator.Limits()
    limits.hasUIDs = false
    var generator = ValueGenerator(seed: seed, limits: limits)
    for _ in 0..<20 {
      let value = generator.value()
      let object = Bridge.object(of: value)
      #expect(try Bridge.value(of: object) == value, "seed \(seed)")
      let copy = try Bridge.value(of: [object] as NSArray)
      #expect(copy == .array([value]), "seed \(seed), through NSArray")
    }
  }

  // V-14
  @Test func `what is changed after it was stored does not change what is stored`() throws {
    let (text, data) = (NSMutableString(string: "a"), NSMutableData(data: Data([1])))
    let inner = NSMutableArray(array: [1])
    let outer = NSMutableDictionary(dictionary: ["text": text, "data": data, "list": inner])
    let stored = try Bridge.value(of: [outer])
    let (storedText, storedData) = (try Bridge.value(of: text), try Bridge.value(of: data))
    text.append("b")
    data.append(Data([2]))
    inner.add(2)
    outer["more"] = 3
    #expect(
      stored
        == .array([
          .dictionary(["text": .string("a"), "data": .data([1]), "list": .array([.integer(1)])])
        ]))
    #expect(storedText == .string("a"))
    #expect(storedData == .data([1]))
  }
}
