import Foundation
import StrataPropertyList
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// Numbers that come back, compared with Swift's in an `AnyHashable`.
struct NumberEqualityTests {
  private func hashable(_ value: PropertyListValue) throws -> AnyHashable {
    try #require(Bridge.object(of: value) as? AnyHashable)
  }

  private let pairs: [(PropertyListValue, AnyHashable)] = [
    (.integer(1), 1), (.integer(-7), -7), (.integer(.max), Int.max), (.integer(.min), Int.min),
    (.integer(3), 3.0), (.integer(200), UInt8(200)), (.unsigned(.max), UInt64.max),
    (.real(1.5), 1.5), (.real(2), 2), (.single(0.5), Float(0.5)), (.single(0.1), Float(0.1)),
    (.boolean(true), true), (.boolean(false), false),
  ]

  // W-21
  @Test func `a number equals Swift's of the same value, both ways and by hash`() throws {
    for (stored, swift) in pairs {
      let number = try hashable(stored)
      #expect(number == swift && swift == number && number.hashValue == swift.hashValue, "\(swift)")
      #expect(Set([number, swift]).count == 1, "\(swift)")
    }
    #expect(try hashable(.integer(1)) != AnyHashable(2))
    #expect(try hashable(.boolean(true)) != AnyHashable("1"))
    let decimal = NSDecimalNumber(string: "1.10")
    #expect(AnyHashable(decimal).base is NSDecimalNumber)
  }

  // W-21
  @Test func `containers of numbers equal Swift's, both ways`() throws {
    let defaults = UserDefaults.inMemory([
      "x": ["e": 1, "r": 2.5, "f": true, "t": "u"] as [String: Any], "l": [1, 2] as [Any],
    ])
    let expected: [String: AnyHashable] = ["e": 1, "r": 2.5, "f": true, "t": "u"]
    let read = try #require(defaults.object(forKey: "x") as? [String: AnyHashable])
    #expect(read == expected && expected == read)
    #expect(defaults.array(forKey: "l") as? [AnyHashable] == [1, 2])
    #expect(NSDictionary(dictionary: read) == NSDictionary(dictionary: expected))
  }

  // W-21, V-13
  @Test func `a number in a hashable casts to its own type, to NSNumber and to Any`() throws {
    #expect(try hashable(.integer(5)) as? Int == 5)
    #expect(try hashable(.integer(5)) as? NSNumber == 5)
    #expect(try hashable(.unsigned(.max)) as? UInt == .max)
    #expect(try hashable(.real(2)) as? Double == 2)
    #expect(try hashable(.boolean(true)) as? Bool == true)
    #expect(try hashable(.boolean(true)) as? NSNumber == 1)
    #expect(try Bridge.value(of: hashable(.boolean(true))) == .boolean(true))
    #expect(try Bridge.value(of: hashable(.integer(1))) == .integer(1))
    #expect(try Bridge.value(of: hashable(.real(1))) == .real(1))
  }

  // W-21
  @Test func `an NSNumber that is a key of a dictionary is found, as before and by Swift's`() {
    let dictionary = NSDictionary(object: "x", forKey: NSNumber(value: 1))
    #expect(dictionary[NSNumber(value: 1)] as? String == "x" && dictionary[1] as? String == "x")
    let swift = dictionary as? [AnyHashable: Any]
    #expect(swift?[1] as? String == "x" && swift?[NSNumber(value: 1)] as? String == "x")
  }
}
