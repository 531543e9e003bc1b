import StrataDomains
import StrataPropertyList
import Testing

/// What stored values are as texts, data and containers.
struct ObjectReadingTests {
  /// One of each kind that is neither a number nor a text.
  static let objects: [PropertyListValue] = [
    .date(PropertyListDate(secondsSinceReference: 1)), .data([0x31]), .array([.integer(1)]),
    .dictionary(["1": .integer(1)]), .uid(1),
  ]

  // V-9
  @Test(arguments: objects)
  func `what is no number has no text`(value: PropertyListValue) {
    #expect(value.stringValue == nil)
  }

  // V-10
  @Test func `no value is nothing`() {
    let value: PropertyListValue? = nil
    #expect(value?.stringValue == nil)
    #expect(value?.dataValue == nil)
    #expect(value?.arrayValue == nil)
    #expect(value?.dictionaryValue == nil)
    #expect(value?.stringArrayValue == nil)
  }

  // V-11
  @Test func `data and containers are what they are and never converted`() {
    #expect(PropertyListValue.data([1, 2]).dataValue == [1, 2])
    #expect(PropertyListValue.array([.integer(1)]).arrayValue == [.integer(1)])
    #expect(PropertyListValue.dictionary(["a": .real(1)]).dictionaryValue == ["a": .real(1)])
    let others: [PropertyListValue] = [.string("(a)"), .integer(1), .boolean(true), .real(1)]
    for value in others + Self.objects {
      if case .data = value {} else { #expect(value.dataValue == nil, "\(value)") }
      if case .array = value {} else { #expect(value.arrayValue == nil, "\(value)") }
      if case .dictionary = value {} else { #expect(value.dictionaryValue == nil, "\(value)") }
    }
  }

  // V-12
  @Test func `an array of texts is one only if every element is a text`() {
    #expect(PropertyListValue.array([.string("a"), .string("")]).stringArrayValue == ["a", ""])
    #expect(PropertyListValue.array([]).stringArrayValue == [])
    #expect(PropertyListValue.array([.string("a"), .integer(1)]).stringArrayValue == nil)
    #expect(PropertyListValue.array([.array([])]).stringArrayValue == nil)
    #expect(PropertyListValue.string("a").stringArrayValue == nil)
    #expect(PropertyListValue.dictionary(["a": .string("b")]).stringArrayValue == nil)
  }
}
