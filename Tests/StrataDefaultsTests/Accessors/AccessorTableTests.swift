import Foundation
import StrataPropertyList
import Testing

import class StrataDefaults.UserDefaults

/// What the accessors of the class make of each stored value.
struct AccessorTableTests {
  /// A stored value, and what the accessors say of it.
  private struct Row: Sendable {
    let stored: any Sendable
    let integer: Int
    let double: Double
    let bool: Bool
    let string: String?

    init(
      _ stored: any Sendable, _ integer: Int, _ double: Double, _ bool: Bool, _ string: String?
    ) {
      self.stored = stored
      self.integer = integer
      self.double = double
      self.bool = bool
      self.string = string
    }

    static func text(_ text: String, _ integer: Int, _ double: Double, _ bool: Bool) -> Row {
      Row(text, integer, double, bool, text)
    }
  }

  // The table in the contract.
  private static let texts: [Row] = [
    .text("42", 42, 42, false), .text("abc", 0, 0, false), .text("3.7", 0, 3.7, false),
    .text("YES", 0, 0, true), .text("yes", 0, 0, true), .text("true", 0, 0, true),
    .text("TRUE", 0, 0, true), .text("yEs", 0, 0, true), .text("tRUe", 0, 0, true),
    .text("1", 1, 1, true), .text("NO", 0, 0, false), .text("false", 0, 0, false),
    .text("0", 0, 0, false), .text("2", 2, 2, false), .text("-3", -3, -3, false),
    .text(" 5 ", 0, 5, false), .text("Y", 0, 0, false), .text("y", 0, 0, false),
    .text("t", 0, 0, false), .text("on", 0, 0, false), .text("01", 1, 1, false),
    .text("+1", 1, 1, false), .text("1e3", 0, 1000, false), .text("0x10", 0, 0, false),
    .text("inf", 0, 0, false), .text("nan", 0, 0, false),
    .text("9999999999999999999999", 0, 1e22, false), .text("12abc", 0, 12, false),
    .text("", 0, 0, false), .text("9223372036854775807", .max, 0x1p63, false),
    .text("-9223372036854775808", .min, -0x1p63, false),
  ]

  private static let numbers: [Row] = [
    Row(0.4, 0, 0.4, true, "0.4"), Row(Double.nan, 0, .nan, true, "nan"),
    Row(-0.0, 0, -0.0, false, "-0"), Row(2.67, 2, 2.67, true, "2.67"),
    Row(-2.9, -2, -2.9, true, "-2.9"), Row(1e20, .max, 1e20, true, "1e+20"),
    Row(-1e20, .min, -1e20, true, "-1e+20"), Row(Double.infinity, .max, .infinity, true, "inf"),
    Row(true, 1, 1, true, "1"), Row(false, 0, 0, false, "0"), Row(7, 7, 7, true, "7"),
    Row(0, 0, 0, false, "0"), Row(Int.min, .min, -0x1p63, true, "-9223372036854775808"),
    Row(UInt64.max, .max, 0x1p64, true, "18446744073709551615"), Row(0.1, 0, 0.1, true, "0.1"),
    Row(0.1 + 0.2, 0, 0.1 + 0.2, true, "0.3"),
    Row(1e15, 1_000_000_000_000_000, 1e15, true, "1000000000000000"),
    Row(1e16, 10_000_000_000_000_000, 1e16, true, "1e+16"), Row(1e-5, 0, 1e-5, true, "1e-05"),
    Row(1.0, 1, 1, true, "1"), Row(Float(0.1), 0, Double(Float(0.1)), true, "0.1"),
    Row(Float(2.5), 2, 2.5, true, "2.5"),
  ]

  private static let others: [Row] = [
    Row(Date(timeIntervalSinceReferenceDate: 7), 0, 0, false, nil),
    Row(Data("7".utf8), 0, 0, false, nil), Row([7], 0, 0, false, nil),
    Row(["7": 7], 0, 0, false, nil),
  ]

  // V-1…V-3, V-5…V-9
  @Test func `numbers and texts are read from each value as the table says`() throws {
    let defaults = try DefaultsFixture().defaults
    for row in Self.texts + Self.numbers + Self.others {
      defaults.set(row.stored, forKey: "key")
      #expect(defaults.integer(forKey: "key") == row.integer, "\(row)")
      #expect(isSame(defaults.double(forKey: "key"), row.double), "\(row)")
      #expect(isSame(Double(defaults.float(forKey: "key")), Double(Float(row.double))), "\(row)")
      #expect(defaults.bool(forKey: "key") == row.bool, "\(row)")
      #expect(defaults.string(forKey: "key") == row.string, "\(row)")
    }
  }

  // V-3
  @Test func `an argument is a text, and 2 is not true`() throws {
    let arguments: [String: PropertyListValue] = ["flag": .string("2"), "on": .string("YES")]
    let defaults = try DefaultsFixture(arguments: arguments).defaults
    #expect(!defaults.bool(forKey: "flag") && defaults.integer(forKey: "flag") == 2)
    #expect(defaults.bool(forKey: "on"))
  }

  // V-10
  @Test func `of a key without a value all is nothing`() throws {
    let defaults = try DefaultsFixture().defaults
    defaults.set(1, forKey: "removed")
    defaults.removeObject(forKey: "removed")
    for key in ["never", "removed", "", String(repeating: "x", count: 70_000), "a\0b"] {
      #expect(defaults.object(forKey: key) == nil && defaults.value(forKey: key) == nil)
      #expect(defaults.string(forKey: key) == nil && defaults.data(forKey: key) == nil)
      #expect(defaults.array(forKey: key) == nil && defaults.stringArray(forKey: key) == nil)
      #expect(defaults.dictionary(forKey: key) == nil && defaults.url(forKey: key) == nil)
      #expect(defaults.integer(forKey: key) == 0 && defaults.double(forKey: key) == 0)
      #expect(defaults.float(forKey: key) == 0 && !defaults.bool(forKey: key))
    }
  }

  // V-11
  @Test func `data, arrays and dictionaries are not made of anything else`() throws {
    let defaults = try DefaultsFixture().defaults
    for row in Self.texts + Self.numbers + Self.others {
      defaults.set(row.stored, forKey: "key")
      #expect(defaults.data(forKey: "key") == row.stored as? Data)
      #expect(defaults.array(forKey: "key") as? [Int] == row.stored as? [Int], "\(row)")
      #expect((defaults.array(forKey: "key") != nil) == (row.stored is [Int]), "\(row)")
      #expect(defaults.dictionary(forKey: "key") as? [String: Int] == row.stored as? [String: Int])
      #expect((defaults.dictionary(forKey: "key") != nil) == (row.stored is [String: Int]))
    }
  }

  // V-12
  @Test func `an array of texts has nothing else in it`() throws {
    let defaults = try DefaultsFixture().defaults
    let cases: [(stored: Any, texts: [String]?)] = [
      (["a", "b"], ["a", "b"]), ([String](), []), (["a", 1] as [Any], nil), ([1], nil),
      (["a", ["b"]] as [Any], nil), ("a", nil), (["a": "b"], nil), (["a", true] as [Any], nil),
    ]
    for (stored, texts) in cases {
      defaults.set(stored, forKey: "key")
      #expect(defaults.stringArray(forKey: "key") == texts, "\(stored)")
    }
  }

  /// Whether both are the same number, zeros with their sign, or both none.
  private func isSame(_ one: Double, _ other: Double) -> Bool {
    one.isNaN ? other.isNaN : one.bitPattern == other.bitPattern
  }
}
