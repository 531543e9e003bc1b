import Foundation
import StrataDefaults
import StrataPropertyList
import Testing

/// What no property list holds, and how the error says where it is.
struct RefusedValueTests {
  private final class Custom: CustomStringConvertible {
    var description: String { "a custom object" }
  }

  private enum Theme: String { case dark }

  /// What is refused for its type, with its text as the message has it.
  private static var strangers: [(object: Any, text: String)] {
    [
      (NSNull(), "<null>"), (Set([1]), "[1]"), (Custom(), "a custom object"), (Theme.dark, "dark"),
      (1...2, "1...2"), ((1, 2), "(1, 2)"), ([1, 2].dropFirst(), "[2]"),
      (Character("c"), "c"), (Calendar(identifier: .gregorian), ""), (NSSet(object: 1), ""),
      (NSObject(), ""), (URL(filePath: "/x"), "file:///x"), (Optional<Int>.none as Any, "nil"),
    ]
  }

  private func error(_ object: Any) -> BridgeError? {
    do throws(BridgeError) {
      _ = try Bridge.value(of: object)
      return nil
    } catch {
      return error
    }
  }

  // V-24
  @Test func `what no property list holds is refused with the text of Apple's platforms`() {
    for (object, text) in Self.strangers {
      let error = error(object)
      #expect([.type, .missing].contains(error?.reason), "\(object)")
      #expect(error?.path == [], "\(object)")
      let start = "Attempt to insert non-property list object \(text)"
      let message = error?.message(forKey: "theme") ?? ""
      #expect(message.hasPrefix(start), "\(message)")
      #expect(message.hasSuffix(" for key theme"), "\(message)")
    }
  }

  // V-24
  @Test func `the error says where in the value the stranger lies`() {
    let cases: [(object: Any, path: [BridgeError.Step], place: String)] = [
      ([1, NSNull()] as [Any], [.position(1)], "[1]"),
      (["a": ["b", Set([1])] as [Any]], [.key("a"), .position(1)], "[\"a\"][1]"),
      (NSArray(array: [[NSNull()]]), [.position(0), .position(0)], "[0][0]"),
      (NSDictionary(dictionary: ["a\"": NSNull()]), [.key("a\"")], "[\"a\\\"\"]"),
      ([nil, 1] as [Int?], [.position(0)], "[0]"),
      ([1, nil] as [Any?] as Any, [.position(1)], "[1]"),
    ]
    for (object, path, place) in cases {
      let error = error(object)
      #expect(error?.path == path, "\(object)")
      let message = error?.message(forKey: "k") ?? ""
      #expect(message.hasSuffix(" for key k (at \(place))"), "\(message)")
    }
  }

  // V-24
  @Test func `a key inside of the value must be a String, and each another`() {
    let cases: [(object: Any, reason: BridgeError.Reason)] = [
      ([1: "a"], .keyNotString), ([Theme.dark: 1], .keyNotString),
      (["a": 1, 2: 3] as [AnyHashable: Any], .keyNotString),
      (NSDictionary(dictionary: [NSNumber(value: 1): "a"]), .keyNotString),
      (["k": [1: 2]], .keyNotString),
      (["a": 1, "ab".dropLast(): 2] as [AnyHashable: Any], .keysCoincide),
    ]
    for (object, reason) in cases {
      #expect(error(object)?.reason == reason, "\(object)")
    }
    #expect(
      error([1: "a"])?.message(forKey: "k")
        == "Attempt to insert non-property list object dictionary with the key 1 for key k "
        + "(a key must be a String)")
  }

  // V-22, V-24
  @Test func `an integer of more than 64 bits is refused`() {
    for object in [Int128(Int64.min) - 1, Int128(UInt64.max) + 1, UInt128.max] as [Any] {
      #expect(error(object)?.reason == .integerTooLarge, "\(object)")
    }
  }

  // V-24
  @Test func `a container that contains itself is refused`() {
    let list = NSMutableArray(array: [1])
    let table = NSMutableDictionary(dictionary: ["list": list])
    list.add(table)
    #expect(error(list)?.reason == .containsItself)
    #expect(error(list)?.path == [.position(1), .key("list")])
    #expect(error(["a": [list]])?.reason == .containsItself)
    #expect(error(table)?.reason == .containsItself)
    list.removeAllObjects()
    #expect(error(table) == nil)
    let twice = NSArray(array: [table, table])
    #expect(error(twice) == nil, "the same container twice is none inside of itself")
  }

  // V-24
  @Test func `511 levels are stored, one more is refused, as deep as it goes`() {
    for levels in [511, 512, 20_000] {
      let isTooDeep = levels > 511
      let objects: [Any] = [
        NestedObjects.swiftArray(levels), NestedObjects.dictionary(levels),
        NestedObjects.foundationArray(levels),
      ]
      for object in objects {
        #expect((error(object)?.reason == .nestedTooDeep) == isTooDeep, "\(levels)")
      }
    }
    #expect(error([[NestedObjects.foundationArray(510)]])?.reason == .nestedTooDeep)
    #expect(error([NestedObjects.foundationArray(510)]) == nil)
    let message = error(NestedObjects.swiftArray(512))?.message(forKey: "k") ?? ""
    #expect(message.utf8.count < 300, "\(message)")
  }

  // V-25
  @Test func `a key has at most 64 KiB and no NUL`() throws {
    let good = ["", "a", "a.b", "@", "🙂", "e\u{301}", String(repeating: "k", count: 1 << 16)]
    for key in good { try Bridge.check(key: key) }
    let bad = [
      "\0", "a\0b", String(repeating: "k", count: 1 << 16 + 1),
      String(repeating: "é", count: 40_000),
    ]
    for key in bad {
      let error = #expect(throws: BridgeError.self) { try Bridge.check(key: key) }
      let message = error?.message(forKey: key) ?? ""
      #expect(message.hasPrefix("Attempt to insert an object for key \""), "\(message)")
      #expect(message.utf8.count < 400 && !message.utf8.contains(0), "\(message)")
    }
  }
}
