import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

private enum Level: Int, Codable, StorableValue { case low = 1, high }

private enum Shape: Codable, StorableValue, Equatable {
  case dot
  case circle(radius: Double)
}

private struct Window: Codable, StorableValue, Equatable {
  struct Pane: Codable, Equatable {
    var title: String
    var children: [Pane] = []
    var level = Level.low
  }
  var frame: [Double] = [0, 1]
  var panes: [Pane] = []
  var home: URL?
  var created = Date(timeIntervalSinceReferenceDate: 0.1)
  var price = Decimal(string: "0.1") ?? 0
  var tags: [String: Int?] = ["a": 1, "b": nil]
  var bytes = Data([1, 2])
  var id = UUID()
  var gaps: [Int?] = [1, nil]
  var shape = Shape.circle(radius: 2)
}

private class Animal: Codable {
  var name = "animal"
}

private final class Cat: Animal {
  var lives = 9
  enum CodingKeys: CodingKey { case lives }
  override init() { super.init() }
  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    lives = try container.decode(Int.self, forKey: .lives)
    try super.init(from: container.superDecoder())
  }
  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(lives, forKey: .lives)
    try super.encode(to: container.superEncoder())
  }
}

private struct Note: JSONStorable, Equatable { var text = "a/b", size = 1 }

private struct Color: StorableValue, Equatable {
  var rgb: Int
  init(rgb: Int) { self.rgb = rgb }
  init?(stored: PropertyListValue) {
    guard case .string(let text) = stored, let rgb = Int(text.dropFirst(), radix: 16) else {
      return nil
    }
    self.rgb = rgb
  }
  func stored() -> PropertyListValue? { .string("#" + String(rgb, radix: 16)) }
}

private struct Unencodable: Codable, StorableValue {
  func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "never"))
  }
}

/// Which types a key may have, and what they are stored as.
struct StorableValueTests {
  private let defaults = UserDefaults.inMemory()

  /// Stores a value and reads it back.
  private func expect<Value: StorableValue & Equatable>(
    _ value: Value, isStoredAs stored: PropertyListValue?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let key = UserDefaults.Key<Value?>("key")
    try defaults.store(value, for: key)
    #expect(defaults.stack.own.value(forKey: "key") == stored, sourceLocation: sourceLocation)
    #expect(defaults[key] == value, sourceLocation: sourceLocation)
  }

  // W-7
  @Test func `plain values are stored as what they are`() throws {
    try expect(true, isStoredAs: true)
    try expect("text", isStoredAs: "text")
    try expect(-5, isStoredAs: -5)
    try expect(UInt8.max, isStoredAs: 255)
    try expect(UInt64.max, isStoredAs: .unsigned(.max))
    try expect(Int128.max, isStoredAs: .string(Int128.max.description))
    try expect(0.1, isStoredAs: 0.1)
    try expect(Float(0.1), isStoredAs: .single(0.1))
    let date = Date(timeIntervalSinceReferenceDate: 0.1)
    try expect(date, isStoredAs: .date(PropertyListDate(secondsSinceReference: 0.1)))
    try expect(Data([1, 2]), isStoredAs: .data([1, 2]))
    try expect(PropertyListValue.uid(3), isStoredAs: .uid(3))
  }

  // W-7
  @Test func `URLs, identifiers, decimals and durations are exact`() throws {
    try expect(URL(fileURLWithPath: "/a/b"), isStoredAs: "/a/b")
    let web = try #require(URL(string: "http://example.com/?q=1"))
    defaults[UserDefaults.Key<URL?>("web")] = web
    #expect(defaults.url(forKey: "web") == web)
    let id = UUID()
    try expect(id, isStoredAs: .string(id.uuidString))
    let digits = "0.1234567890123456789012345678901234567"
    try expect(try #require(Decimal(string: digits)), isStoredAs: .string(digits))
    try expect(Duration.seconds(90), isStoredAs: 90)
    try expect(Duration.milliseconds(1500), isStoredAs: 1.5)
    let attosecond = Duration(secondsComponent: 1, attosecondsComponent: 1)
    try expect(attosecond, isStoredAs: "1.000000000000000001")
    try expect(.zero - attosecond, isStoredAs: "-1.000000000000000001")
    try expect(
      Duration(secondsComponent: 0, attosecondsComponent: -1), isStoredAs: .real(-1e-18))
  }

  // W-7
  @Test func `containers hold any such value, and nil among them`() throws {
    try expect([1, 2], isStoredAs: [1, 2])
    try expect([1, nil], isStoredAs: [1, "$null"])
    try expect(["a": [true]], isStoredAs: ["a": [true]])
    try expect([1: "one"], isStoredAs: ["1": "one"])
    try expect(["a": nil, "b": 1] as [String: Int?], isStoredAs: ["a": "$null", "b": 1])
    try expect(Set([3, 1, 2]), isStoredAs: [1, 2, 3])
    try expect([Theme.dark, .light], isStoredAs: ["dark", "light"])
  }

  // W-7
  @Test func `of a type that can be encoded and has a raw value, the raw value is stored`() throws {
    try expect(Level.high, isStoredAs: 2)
    try expect([Level.high: 1].count, isStoredAs: 1)
    try expect(Theme.dark, isStoredAs: "dark")
    #expect(Level(stored: 3) == nil && Theme(stored: "blue") == nil)
  }

  // W-7
  @Test func `what can be encoded is stored as a structure that people can read`() throws {
    var window = Window()
    window.panes = [.init(title: "A", children: [.init(title: "B", level: .high)])]
    window.home = URL(fileURLWithPath: "/home/x")
    let stored = try #require(try window.stored())
    guard case .dictionary(let items) = stored else { return #expect(Bool(false)) }
    #expect(items["frame"] == [0.0, 1.0] && items["home"] == "/home/x" && items["price"] == "0.1")
    #expect(items["bytes"] == .data([1, 2]) && items["gaps"] == [1, "$null"])
    #expect(items["shape"] == ["circle": ["radius": 2.0]])
    #expect(
      items["panes"] == [
        [
          "title": "A", "level": 1,
          "children": [["title": "B", "level": 2, "children": []]],
        ]
      ])
    try expect(window, isStoredAs: stored)
    try expect(Shape.dot, isStoredAs: ["dot": [:]])
    let cat = Cat()
    cat.name = "Tom"
    let animal = try StoredEncoder.encode(cat)
    #expect(animal == ["lives": 9, "super": ["name": "Tom"]])
    #expect(try StoredDecoder.decode(Cat.self, from: animal).name == "Tom")
  }

  // W-7
  @Test func `JSON text and functions of one's own on request`() throws {
    try expect(Note(), isStoredAs: #"{"size":1,"text":"a/b"}"#)
    #expect(Note(stored: ["text": "x", "size": 2]) == Note(text: "x", size: 2))
    try expect(Color(rgb: 255), isStoredAs: "#ff")
  }

  // W-7, W-8
  @Test func `a text says a number or a Boolean, and nothing else is converted`() {
    #expect(Int(stored: "-12") == -12 && Int(stored: "12a") == nil && Int(stored: true) == nil)
    #expect(Int8(stored: 200) == nil && Int(stored: 2.0) == 2 && Int(stored: 2.5) == nil)
    #expect(UInt(stored: -1) == nil && Double(stored: "1e3") == 1000 && Double(stored: 2) == 2)
    #expect(Bool(stored: "Yes") == true && Bool(stored: "0") == false && Bool(stored: 1) == true)
    #expect(Bool(stored: 2) == nil && Bool(stored: "maybe") == nil && Bool(stored: 1.0) == nil)
    #expect(String(stored: 5) == nil && [Int](stored: [1, "a"]) == nil && [Int](stored: 1) == nil)
    #expect(Decimal(stored: "1x") == nil && Decimal(stored: 0.1)?.description == "0.1")
    #expect(Duration(stored: "x") == nil && Duration(stored: 0.25) == .milliseconds(250))
    #expect(UUID(stored: "x") == nil && Date(stored: "x") == nil && Data(stored: "x") == nil)
  }

  // W-7
  @Test func `what can't be encoded is not stored, and says so`() {
    let key = UserDefaults.Key("key", default: Unencodable())
    defaults.set(5, forKey: "key")
    #expect(throws: DefaultsError.self) { try defaults.store(Unencodable(), for: key) }
    defaults[key] = Unencodable()
    #expect(defaults.integer(forKey: "key") == 5)
  }
}
