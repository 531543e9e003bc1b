import StrataDomains
import StrataPropertyList
import StrataTesting
import Testing

/// What stored values are as numbers and Booleans.
struct NumberReadingTests {
  /// A stored text and what each accessor makes of it.
  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    let integer: Int
    let double: Double
    let bool: Bool

    init(_ text: String, _ integer: Int, _ double: Double, _ bool: Bool = false) {
      (self.text, self.integer, self.double, self.bool) = (text, integer, double, bool)
    }

    var testDescription: String { text.debugDescription }
  }

  static let contract: [Row] = [
    Row("42", 42, 42), Row("abc", 0, 0), Row("3.7", 0, 3.7),
    Row("YES", 0, 0, true), Row("yes", 0, 0, true), Row("true", 0, 0, true),
    Row("TRUE", 0, 0, true), Row("1", 1, 1, true), Row("NO", 0, 0), Row("false", 0, 0),
    Row("0", 0, 0), Row("2", 2, 2), Row("-3", -3, -3), Row(" 5 ", 0, 5), Row("Y", 0, 0),
    Row("y", 0, 0), Row("t", 0, 0), Row("on", 0, 0), Row("01", 1, 1), Row("+1", 1, 1),
    Row("1e3", 0, 1000), Row("0x10", 0, 0), Row("9999999999999999999999", 0, 1e22),
    Row("12abc", 0, 12),
  ]

  static let edges: [Row] = [
    Row("", 0, 0), Row(" ", 0, 0), Row("-", 0, 0), Row("+", 0, 0), Row(".", 0, 0), Row("-.", 0, 0),
    Row(".5", 0, 0.5), Row("5.", 0, 5), Row("5.e1", 0, 50), Row("-.5x", 0, -0.5),
    Row("1.2.3", 0, 1.2), Row("1e", 0, 1), Row("1e+", 0, 1), Row("1E-2", 0, 0.01),
    Row("1e2e3", 0, 100), Row(".e5", 0, 0), Row("e5", 0, 0), Row("--1", 0, 0), Row("- 1", 0, 0),
    Row("\t\n\u{B}\u{C}\r7", 0, 7), Row("1,5", 0, 1), Row("1_000", 0, 1), Row("inf", 0, 0),
    Row("Infinity", 0, 0), Row("nan", 0, 0), Row("-inf", 0, 0), Row("1e400", 0, .infinity),
    Row("-1e400", 0, -.infinity), Row("1e-400", 0, 0), Row("1e99999999999999999999", 0, .infinity),
    Row("9223372036854775807", .max, 0x1p63), Row("9223372036854775808", 0, 0x1p63),
    Row("-9223372036854775808", .min, -0x1p63), Row("-9223372036854775809", 0, -0x1p63),
    Row("1\u{301}", 0, 1), Row("١", 0, 0), Row("1\0", 0, 1), Row("yEs", 0, 0, true),
    Row("tRuE", 0, 0, true), Row("yes ", 0, 0), Row("ＹＥＳ", 0, 0), Row("YE\u{17F}", 0, 0),
  ]

  // V-1, V-2, V-3
  @Test(arguments: contract + edges)
  func `a text is read as the table says`(row: Row) {
    let value = PropertyListValue.string(row.text)
    #expect(value.integerValue == row.integer)
    #expect(value.doubleValue == row.double)
    #expect(value.floatValue == Float(row.double))
    #expect(value.boolValue == row.bool)
  }

  // V-3
  @Test(arguments: contract + edges)
  func `a text is a Boolean if it says so, and one that reads as true always does`(row: Row) {
    let flags: [String: Bool] = [
      "1": true, "yes": true, "true": true, "0": false, "no": false, "false": false,
    ]
    #expect(BooleanText.value(of: row.text) == flags[row.text.lowercased()])
    #expect((BooleanText.value(of: row.text) == true) == row.bool)
  }

  // V-3
  @Test func `what differs from a digit in the bit that letters have for their case is none`() {
    for text in ["\u{11}", "\u{10}", "n/", "YE3"] { #expect(BooleanText.value(of: text) == nil) }
  }

  // V-2
  @Test func `a text becomes the nearest float and not that of the nearest double`() {
    // Halfway between two floats for a double; a digit far behind decides.
    let text = "1.000000059604644775390625000000000000001"
    #expect(PropertyListValue.string(text).floatValue == 1.000_000_1)
    #expect(Float(PropertyListValue.string(text).doubleValue) == 1)
  }

  // V-2
  @Test func `a hundred thousand digits are a number like any other`() {
    let digits = String(repeating: "9", count: 100_000)
    #expect(PropertyListValue.string(digits).doubleValue == .infinity)
    #expect(PropertyListValue.string("0." + digits).doubleValue == 1)
    #expect(PropertyListValue.string(digits).integerValue == 0)
  }

  // V-5
  @Test func `a number is true unless it is zero`() {
    let isTrue: [PropertyListValue] = [
      .integer(2), .integer(-1), .unsigned(.max), .real(0.4), .real(.nan), .real(-.infinity),
      .single(0.4), .single(.nan), .boolean(true),
    ]
    for value in isTrue { #expect(value.boolValue, "\(value)") }
    for value in [PropertyListValue.integer(0), .real(0), .real(-0.0), .single(-0.0)] {
      #expect(!value.boolValue, "\(value)")
    }
  }

  // V-6
  @Test func `a real is cut off toward zero and kept in range`() {
    let rows: [(Double, Int)] = [
      (2.67, 2), (-2.9, -2), (1e20, .max), (-1e20, .min), (.nan, 0), (.infinity, .max),
      (-.infinity, .min), (0x1p63, .max), (0x1p63.nextDown, 9_223_372_036_854_774_784),
      (-0x1p63, .min), ((-0x1p63).nextUp, -9_223_372_036_854_774_784), (-0.0, 0), (0.99, 0),
    ]
    for (real, integer) in rows {
      #expect(PropertyListValue.real(real).integerValue == integer, "\(real)")
    }
    #expect(PropertyListValue.single(-2.5).integerValue == -2)
    #expect(PropertyListValue.single(.infinity).integerValue == .max)
    #expect(PropertyListValue.unsigned(.max).integerValue == .max)
  }

  // V-6
  @Test(arguments: 0..<20)
  func `a real that fits is the integer that Swift makes of it`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      let real = Double(bitPattern: random.next())
      let expected = Int(exactly: real.rounded(.towardZero)) ?? (real > 0 ? .max : .min)
      #expect(
        PropertyListValue.real(real).integerValue == (real.isNaN ? 0 : expected),
        "\(real), seed \(seed)")
    }
  }

  // V-7
  @Test func `a Boolean is one or zero and an integer is the same real`() {
    let (yes, no) = (PropertyListValue.boolean(true), PropertyListValue.boolean(false))
    #expect((yes.integerValue, yes.doubleValue, yes.floatValue) == (1, 1, 1))
    #expect((no.integerValue, no.doubleValue, no.floatValue) == (0, 0, 0))
    #expect(PropertyListValue.integer(7).doubleValue == 7)
    #expect(PropertyListValue.integer(7).floatValue == 7)
    #expect(PropertyListValue.unsigned(.max).doubleValue == 0x1p64)
    #expect(PropertyListValue.single(0.1).doubleValue == Double(Float(0.1)))
    #expect(PropertyListValue.real(1e300).floatValue == .infinity)
  }

  // V-9
  @Test(arguments: ObjectReadingTests.objects)
  func `what is no number reads as zero and false`(value: PropertyListValue) {
    #expect(value.integerValue == 0)
    #expect(value.doubleValue == 0)
    #expect(value.floatValue == 0)
    #expect(!value.boolValue)
  }

  // V-10
  @Test func `no value reads as zero and false`() {
    let value: PropertyListValue? = nil
    #expect(value.integerValue == 0)
    #expect(value.doubleValue == 0)
    #expect(value.floatValue == 0)
    #expect(!value.boolValue)
    #expect(Optional(PropertyListValue.string("1")).integerValue == 1)
    #expect(Optional(PropertyListValue.string("1")).doubleValue == 1)
    #expect(Optional(PropertyListValue.string("1")).floatValue == 1)
    #expect(Optional(PropertyListValue.string("1")).boolValue)
  }
}
