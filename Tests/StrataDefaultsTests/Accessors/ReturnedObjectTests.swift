import Foundation
import StrataPropertyList
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// What kind of objects callers get, and that these are theirs.
struct ReturnedObjectTests {
  // V-13
  @Test func `an object casts to all that it casts to on Apple's platforms`() throws {
    let defaults = try DefaultsFixture().defaults
    defaults.set(1, forKey: "integer")
    #expect(defaults.object(forKey: "integer") as? Double == 1)
    #expect(defaults.object(forKey: "integer") as? Int == 1)
    #expect(defaults.object(forKey: "integer") as? Bool == true)
    #expect(defaults.object(forKey: "integer") as? NSNumber == 1)
    defaults.set(true, forKey: "flag")
    #expect(defaults.object(forKey: "flag") as? Int == 1)
    #expect(defaults.object(forKey: "flag") as? Bool == true)
    defaults.set(1.5, forKey: "real")
    #expect(defaults.object(forKey: "real") as? Float == 1.5)
    #expect(defaults.object(forKey: "real") as? Int == nil)
    defaults.set("x", forKey: "text")
    #expect(defaults.object(forKey: "text") as? NSString == "x")
    #expect(defaults.object(forKey: "text") as? String == "x")
    defaults.set([1, 2], forKey: "array")
    #expect(defaults.object(forKey: "array") as? [Double] == [1, 2])
    #expect((defaults.object(forKey: "array") as? NSArray)?.count == 2)
    #expect(defaults.array(forKey: "array") as? [UInt8] == [1, 2])
    defaults.set(["a": [true]], forKey: "dictionary")
    #expect(defaults.object(forKey: "dictionary") as? [String: [Int]] == ["a": [1]])
    #expect((defaults.object(forKey: "dictionary") as? NSDictionary)?.count == 1)
    defaults.set(Data([1]), forKey: "data")
    #expect((defaults.object(forKey: "data") as? NSData)?.length == 1)
    defaults.set(Date(timeIntervalSinceReferenceDate: 0.5), forKey: "date")
    #expect((defaults.object(forKey: "date") as? NSDate)?.timeIntervalSinceReferenceDate == 0.5)
  }

  // V-13
  @Test func `a Boolean is not 1 in the file nor among property-list values`() throws {
    let fixture = try DefaultsFixture()
    fixture.defaults.set(true, forKey: "flag")
    fixture.defaults.set(1, forKey: "integer")
    fixture.flush()
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: fixture.plist)))
    let list = try PropertyList.decode(bytes).value
    #expect(list == .dictionary(["flag": .boolean(true), "integer": .integer(1)]))
    #expect(PropertyListValue.boolean(true) != .integer(1))
    let flag = try #require(fixture.defaults.object(forKey: "flag"))
    #expect(try Bridge.value(of: flag) == .boolean(true))
  }

  // V-14
  @Test func `what comes back is a copy, and what was handed in may be changed`() throws {
    let defaults = try DefaultsFixture().defaults
    let inner = NSMutableArray(array: [1])
    let text = NSMutableString(string: "x")
    let array = NSMutableArray(array: [inner, text])
    let dictionary = NSMutableDictionary(object: array, forKey: NSString("a"))
    defaults.set(dictionary, forKey: "key")
    inner.add(2)
    text.append("y")
    array.removeAllObjects()
    dictionary.removeAllObjects()
    let read = try #require(defaults.dictionary(forKey: "key"))
    #expect(read["a"] as? NSArray == [[1], "x"])
    var first = try #require(defaults.array(forKey: "key") ?? read["a"] as? [Any])
    first.removeAll()
    #expect((defaults.dictionary(forKey: "key")?["a"] as? [Any])?.count == 2)
    let object = try #require(defaults.object(forKey: "key"))
    #expect(!(object is NSMutableDictionary))
    #expect(!((object as? [String: Any])?["a"] is NSMutableArray))
  }

  // V-15
  @Test func `the representation has each key of the search list with the value that is read`()
    throws
  {
    let fixture = try DefaultsFixture(
      arguments: ["argument": .string("YES"), "own": .string("argued")],
      system: [
        "com.example.app.plist": ["everyone": .integer(1), "own": .integer(2)],
        "managed/com.example.app.plist": ["managed": .data([1])],
      ])
    let defaults = fixture.defaults
    defaults.register(defaults: ["registered": [1, 2], "plain": "registered"])
    defaults.set(1.5, forKey: "own")
    defaults.set(["a": true], forKey: "plain")
    defaults.set(URL(string: "http://example.com"), forKey: "url")
    defaults.set(3, forKey: "managed")
    try fixture.suite("com.example.suite").set(Date(timeIntervalSince1970: 0.5), forKey: "suite")
    defaults.addSuite(named: "com.example.suite")
    let all = defaults.dictionaryRepresentation()
    let expected: Set = [
      "argument", "own", "everyone", "managed", "registered", "plain", "url", "suite",
      "AppleLanguages",
    ]
    #expect(expected.isSubset(of: all.keys))
    for (key, value) in all {
      let object = try #require(defaults.object(forKey: key), "\(key)")
      #expect(try Bridge.value(of: value) == Bridge.value(of: object), "\(key)")
    }
    #expect(all["own"] as? String == "argued")
    #expect(all["managed"] as? Data == Data([1]))
  }

  // V-16
  @Test func `setValue sets and removes, and value reads, as the others do`() throws {
    let defaults = try DefaultsFixture().defaults
    defaults.setValue(["a": 1], forKey: "key")
    #expect(defaults.dictionary(forKey: "key") as? [String: Int] == ["a": 1])
    #expect(defaults.value(forKey: "key") as? [String: Int] == ["a": 1])
    defaults.setValue(URL(filePath: "/x"), forKey: "url")
    #expect(defaults.string(forKey: "url") == "/x")
    defaults.register(defaults: ["key": 7])
    defaults.setValue(nil, forKey: "key")
    #expect(defaults.value(forKey: "key") as? Int == 7)
    #expect(defaults.value(forKey: "none") == nil)
  }
}
