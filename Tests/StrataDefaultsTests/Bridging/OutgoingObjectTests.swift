import Foundation
import StrataDefaults
import StrataPropertyList
import Testing

/// That what callers get casts, compares and prints as on Apple's platforms.
struct OutgoingObjectTests {
  private func object(_ value: PropertyListValue) -> Any { Bridge.object(of: value) }

  // V-13
  @Test func `a number casts to every type that can say it`() {
    let integer = object(.integer(42))
    #expect(integer as? Int == 42)
    #expect(integer as? Double == 42)
    #expect(integer as? Float == 42)
    #expect(integer as? UInt8 == 42)
    #expect(integer as? Int64 == 42)
    #expect(integer as? NSNumber == 42)
    #expect(integer as? Bool == nil)
    #expect(integer as? String == nil)
    #expect(object(.integer(-1)) as? UInt == nil)
    #expect(object(.integer(.min)) as? Int64 == .min)
    #expect(object(.unsigned(.max)) as? UInt64 == .max)
    #expect(object(.unsigned(.max)) as? Int == nil)
    #expect(object(.real(1.5)) as? Double == 1.5)
    #expect(object(.real(1.5)) as? Float == 1.5)
    #expect(object(.real(1.5)) as? Int == nil)
    #expect(object(.real(2)) as? Int == 2)
    #expect((object(.real(.nan)) as? Double)?.isNaN == true)
    #expect(object(.single(0.1)) as? Float == 0.1)
    #expect(object(.single(0.1)) as? Double == Double(Float(0.1)))
  }

  // V-13
  @Test func `a Boolean casts to numbers, 0 and 1 cast to Bool`() {
    for flag in [false, true] {
      let object = object(.boolean(flag))
      #expect(object as? Bool == flag)
      #expect(object as? Int == (flag ? 1 : 0))
      #expect(object as? Double == (flag ? 1 : 0))
      #expect((object as? NSNumber)?.boolValue == flag)
      #expect(self.object(.integer(flag ? 1 : 0)) as? Bool == flag)
    }
  }

  // V-13
  @Test func `texts, data and dates cast to Swift's types and to Foundation's`() {
    let text = object(.string("x"))
    #expect((text as? String) == "x")
    #expect((text as? NSString) == "x")
    let hashable = text as? AnyHashable
    #expect(hashable == AnyHashable("x") && AnyHashable("x") == hashable)
    #expect(text as? Int == nil)
    let data = object(.data([1, 2]))
    #expect(data as? Data == Data([1, 2]))
    #expect((data as? NSData)?.length == 2)
    #expect(data as? [UInt8] == nil)
    let moment = Date(timeIntervalSinceReferenceDate: 0.125)
    let date = object(.date(PropertyListDate(secondsSinceReference: 0.125)))
    #expect(date as? Date == moment)
    #expect(date as? NSDate == moment as NSDate)
  }

  // V-13
  @Test func `arrays cast as a whole and by what is in them`() {
    let numbers = object(.array([.integer(0), .integer(1)]))
    #expect((numbers as? [Any])?.count == 2)
    #expect((numbers as? NSArray)?.count == 2)
    #expect(numbers as? [Int] == [0, 1])
    #expect(numbers as? [Double] == [0, 1])
    #expect(numbers as? [NSNumber] == [0, 1])
    #expect(numbers as? [Bool] == [false, true])
    #expect(numbers as? [String] == nil)
    #expect(numbers as? NSArray == [0, 1] as NSArray)
    let texts = object(.array([.string("a"), .string("b")]))
    #expect(texts as? [String] == ["a", "b"])
    #expect(texts as? [NSString] == ["a", "b"])
    #expect(texts as? NSArray == ["a", "b"] as NSArray)
    #expect(object(.array([.string("a"), .integer(1)])) as? [String] == nil)
    #expect(object(.array([])) as? [String] == [])
  }

  // V-13
  @Test func `dictionaries cast as a whole and by what is in them`() {
    let object = object(
      .dictionary(["list": .array([.dictionary(["n": .integer(1)])]), "flag": .boolean(true)]))
    let entries = object as? [String: Any]
    #expect(entries?["flag"] as? Bool == true)
    #expect(entries?["flag"] as? Int == 1)
    #expect(entries?["list"] as? [[String: Int]] == [["n": 1]])
    #expect((object as? [AnyHashable: Any])?.count == 2)
    #expect((object as? NSDictionary)?["flag"] as? Bool == true)
    #expect((object as? NSDictionary) == ["list": [["n": 1]], "flag": true] as NSDictionary)
    #expect(object as? [String: Int] == nil)
    #expect(self.object(.dictionary(["a": .integer(1)])) as? [String: Int] == ["a": 1])
    #expect(self.object(.dictionary(["a": .string("b")])) as? [String: String] == ["a": "b"])
  }

  // V-13
  @Test func `objects print as people expect`() {
    let cases: [(PropertyListValue, String)] = [
      (.integer(42), "42"), (.boolean(true), "1"), (.boolean(false), "0"), (.real(1.5), "1.5"),
      (.unsigned(.max), "18446744073709551615"), (.single(0.1), "0.1"), (.string("x y"), "x y"),
      (.array([.integer(1), .string("a")]), "[1, \"a\"]"),
      (.dictionary(["a": .boolean(true)]), "[\"a\": 1]"),
      (.date(PropertyListDate(secondsSinceReference: 0)), "2001-01-01 00:00:00 +0000"),
      (.data([1, 2]), "2 bytes"),
    ]
    for (value, text) in cases {
      #expect("\(object(value))" == text)
      #expect(String(describing: object(value)) == text)
    }
  }

  // V-13
  @Test func `a Boolean stays another value than 1 on the way out and in again`() throws {
    #expect(try Bridge.value(of: object(.boolean(true))) == .boolean(true))
    #expect(try Bridge.value(of: object(.integer(1))) == .integer(1))
    #expect(try Bridge.value(of: object(.real(1))) == .real(1))
    #expect(try Bridge.value(of: object(.single(1))) == .single(1))
  }

  // V-14
  @Test func `what is returned is nothing that could be changed`() {
    for value in [
      PropertyListValue.array([.string("a")]), .dictionary([:]), .string("a"), .data([1]),
    ] {
      let object = object(value)
      #expect(!(object is NSMutableArray) && !(object is NSMutableDictionary))
      #expect(!(object is NSMutableString) && !(object is NSMutableData))
    }
  }

  // V-13
  @Test func `a keyed archiver's reference is shown as XML writes it`() {
    #expect(object(.uid(7)) as? [String: Int] == ["CF$UID": 7])
  }
}
