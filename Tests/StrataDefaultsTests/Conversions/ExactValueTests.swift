import Foundation
import StrataPropertyList
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

private struct Member: Codable, StorableValue, Equatable {
  var text: String?
  var name = ""
  var list: [String] = []
  var gaps: [String?] = []
}

/// What is stored is exactly the value that is read, or none.
struct ExactValueTests {
  private let defaults = UserDefaults.inMemory()

  /// Stores a value and reads it back.
  private func expectSame<Value: StorableValue & Equatable>(
    _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let key = UserDefaults.Key<Value?>("key")
    try defaults.store(value, for: key)
    #expect(defaults[key] == value, sourceLocation: sourceLocation)
  }

  // W-7, W-8
  @Test func `a number that no single comes near is none`() {
    let key = UserDefaults.Key("Ratio", default: Float(1))
    let heard = Box<String>()
    defaults.onMismatch { heard.add($0.key.name) }
    for number in [1e300, -1e300] {
      defaults.set(number, forKey: "Ratio")
      #expect(defaults[key] == 1)
    }
    #expect(heard.count == 2)
    defaults.set("1e39", forKey: "Ratio")
    #expect(defaults[key] == 1 && heard.count == 3)
    for number in [Double.infinity, -.infinity, 0.5, 1e-300, Double(Float.greatestFiniteMagnitude)]
    {
      defaults.set(number, forKey: "Ratio")
      #expect(defaults[key] == Float(number))
    }
    defaults.set(Double.nan, forKey: "Ratio")
    #expect(defaults[key].isNaN && heard.count == 3)
  }

  // W-7, W-8, V-2
  @Test func `numbers in texts are decimal, and nothing stands around them`() {
    for text in ["nan", "inf", "-infinity", "0x10", "0x1p4", "1e400", " 5", "5 ", "1_0", "", "e5"] {
      #expect(Double(stored: .string(text)) == nil, "\(text)")
      #expect(Float(stored: .string(text)) == nil, "\(text)")
    }
    for (text, number) in ["5": 5, "-2.5e-1": -0.25, "+.5": 0.5, "5.": 5, "1E3": 1000, "01": 1] {
      #expect(Double(stored: .string(text)) == number, "\(text)")
      #expect(Float(stored: .string(text)) == Float(number), "\(text)")
    }
    // Rounded once: by way of a Double it would be 1.
    #expect(Float(stored: "1.00000005960464477540") == Float(1).nextUp)
    #expect(Duration(stored: "1.٣") == nil && Decimal(stored: "1٣") == nil)
  }

  // W-7
  @Test func `durations of any length come back`() throws {
    for attoseconds: Int64 in [0, 1, 5, 999_999_999_999_999_999] {
      for seconds in [0, 1, 1 << 53, Int64.max] {
        try expectSame(Duration(secondsComponent: seconds, attosecondsComponent: attoseconds))
      }
      for seconds in [0, -1, Int64.min] {
        try expectSame(Duration(secondsComponent: seconds, attosecondsComponent: -attoseconds))
      }
    }
    try expectSame(Duration(attoseconds: .max))
    try expectSame(Duration(attoseconds: .min))
    #expect(Duration(stored: "-0.5") == .milliseconds(-500))
    #expect(Duration(stored: "999999999999999999999999.5") == nil)
  }

  // W-7
  @Test func `the text that stands for nil is a text, too`() throws {
    for text in ["$null", "$$null", "$$$null", "null", "$", "$$", "$nul"] {
      try expectSame(text as String?)
      try expectSame([text, nil] as [String?])
      try expectSame([text])
      try expectSame(["a": text, "b": nil] as [String: String?])
      try expectSame(Set([text, nil] as [String?]))
      try expectSame(Member(text: text, name: text, list: [text], gaps: [text, nil]))
      try expectSame([Member(text: text), nil])
      try expectSame([.string(text), nil, [.string(text)]] as [PropertyListValue?])
      #expect(try [text].stored() == [.string(text)])
    }
  }

  // W-7
  @Test func `what stood for nil before stands for nil`() {
    #expect([String?](stored: ["a", "$null"]) == ["a", nil])
    let member = Member(stored: ["text": "$null", "name": "$null", "list": [], "gaps": ["$null"]])
    #expect(member == Member(text: nil, name: "$null", gaps: [nil]))
  }

  // W-7, W-8
  @Test func `of several names that say one key the one that is spelled as the key counts`() {
    for _ in 0..<20 {
      let stored: PropertyListValue = ["01": "a", "1": "b", "+1": "c", "2": "d"]
      #expect([Int: String](stored: stored) == [1: "b", 2: "d"])
      #expect([Int: String](stored: ["01": "a", "2": "d"]) == [1: "a", 2: "d"])
      #expect([Int: String](stored: ["01": "a", "+1": "c"]) == nil)
      #expect([Int: Int?](stored: ["01": "$null", "+1": 3]) == nil)
    }
  }
}
