import Foundation
import StrataDomains
import StrataPropertyList
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// Types whose code finds out at run time what is stored, and types that store nothing.
struct ShapelessValueTests {
  private let defaults = UserDefaults.inMemory()

  /// JSON of any shape, which tries one type after the other, as many programs have it.
  private enum JSONValue: Codable, StorableValue, Equatable {
    case bool(Bool), int(Int), double(Double), url(URL), string(String), array([JSONValue])
    case object([String: JSONValue])
    case null

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? container.decode(Int.self) {
        self = .int(value)
      } else if let value = try? container.decode(Double.self) {
        self = .double(value)
      } else if let value = try? container.decode(URL.self) {
        self = .url(value)
      } else if let value = try? container.decode(String.self) {
        self = .string(value)
      } else if let value = try? container.decode([JSONValue].self) {
        self = .array(value)
      } else {
        self = .object(try container.decode([String: JSONValue].self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .bool(let value): try container.encode(value)
      case .int(let value): try container.encode(value)
      case .double(let value): try container.encode(value)
      case .url(let value): try container.encode(value)
      case .string(let value): try container.encode(value)
      case .array(let value): try container.encode(value)
      case .object(let value): try container.encode(value)
      case .null: try container.encodeNil()
      }
    }
  }

  // W-7
  @Test func `a type that tries one type after the other finds the one that it has encoded`() {
    let key = UserDefaults.Key("Any", default: JSONValue.null)
    let texts = ["NO", "1", "0", "true", "007", "8080", "1.5", "inf", "$null", "Home", "a/b", ""]
    let values: [JSONValue] =
      texts.map { .string($0) } + [
        .bool(true), .bool(false), .int(0), .int(1), .int(-7), .double(1.5), .null,
        .url(URL(fileURLWithPath: "/tmp")), .url(URL(string: "https://example.com/a?b")!),
      ]
    let all = values + [.array(values), .object(["zip": .string("01234"), "n": .int(1)])]
    for value in all {
      defaults[key] = value
      #expect(defaults[key] == value)
    }
    defaults.update(key) { $0 = .array([$0]) }
    #expect(defaults[key] == .array([all[all.count - 1]]))
  }

  // W-7
  @Test func `a member that a person has written as a text is read, and so is the rest`() {
    defaults.set(["columns": "3", "names": ["1", "NO"]], forKey: "Layout")
    #expect(defaults.layout == Layout(columns: 3, names: ["1", "NO"]))
    let flags = UserDefaults.Key("Flags", default: [Bool]())
    defaults.set(["YES", 0, true], forKey: "Flags")
    #expect(defaults[flags] == [true, false, true])
  }

  private struct Old: Error {}

  private struct Inner: Codable, StorableValue, Equatable {
    var number = 1
    init(number: Int) { self.number = number }
    init(from decoder: any Decoder) throws { throw Old() }
  }

  private struct Outer: Codable, StorableValue, Equatable {
    var inner = Inner(number: 1)
    init() {}
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      do {
        inner = try container.decode(Inner.self, forKey: .inner)
      } catch is Old {
        inner = Inner(number: 7)
      }
    }
  }

  // W-7
  @Test func `an error of a type's own reaches the code that knows it`() {
    let key = UserDefaults.Key("Outer", default: Outer())
    defaults[key] = Outer()
    #expect(defaults[key].inner.number == 7)
  }

  // W-7
  @Test func `a decimal that is no number is read as it was stored`() {
    let key = UserDefaults.Key("Decimals", default: [Decimal]())
    defaults[key] = [1.5, .nan, -2]
    #expect(defaults[key].map(\.isNaN) == [false, true, false])
    #expect(Decimal(stored: .real(.nan))?.isNaN == true && Decimal(stored: "nano") == nil)
  }

  private struct Sparse: StorableValue, Codable, Equatable {
    var number: Int?
    init(_ number: Int?) { self.number = number }
    init?(stored: PropertyListValue) {
      guard case .integer(let number) = stored else { return nil }
      self.number = Int(number)
    }
    func stored() -> PropertyListValue? { number.map { .integer(Int64($0)) } }
  }

  // W-7, W-8
  @Test func `what stores nothing is not stored inside of another value, which would be lost`() {
    let list = UserDefaults.Key("Sparse", default: [Sparse]())
    defaults[list] = [Sparse(1)]
    #expect(throws: DefaultsError.self) { try defaults.store([Sparse(1), Sparse(nil)], for: list) }
    #expect(defaults[list] == [Sparse(1)])
    let optional = UserDefaults.Key("Optional", default: [Sparse?]())
    defaults[optional] = [Sparse(1), nil]
    #expect(defaults[optional] == [Sparse(1), nil])
    struct Holder: Codable, StorableValue { var sparse: Sparse }
    let holder = UserDefaults.Key("Holder", default: Holder(sparse: Sparse(2)))
    #expect(throws: DefaultsError.self) {
      try defaults.store(Holder(sparse: Sparse(nil)), for: holder)
    }
  }
}
