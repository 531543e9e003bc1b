import Foundation
import StrataPropertyList
import Testing

@testable import StrataDefaults

/// What code of a `Codable` type meets when it is given what is stored: all that Foundation's
/// property lists give it, errors and paths too.
struct StoredCodingTests {
  typealias Steps = @Sendable (any Decoder) throws -> String

  private static let stored: PropertyListValue = [
    "name": "n", "null": "$null", "size": 5, "list": [1, "a", "$null", [2, "b"], ["x": "c"]],
    "inner": ["x": 1, "deep": ["y": "d"]], "people": [["name": "A"], ["nobody": 1]],
    "super": ["x": "e"],
  ]

  /// Does the same with both decoders.
  private func expectSame(
    _ steps: [Steps], in stored: PropertyListValue = stored,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let list = Data(try PropertyList.encode(stored, as: .xml))
    for (number, steps) in steps.enumerated() {
      let ours = Self.outcome {
        try Read.$steps.withValue(steps) {
          try StoredDecoder.decode(Read.self, from: stored).result
        }
      }
      let theirs = Self.outcome {
        try Read.$steps.withValue(steps) {
          try PropertyListDecoder().decode(Read.self, from: list).result
        }
      }
      #expect(ours == theirs, "number \(number)", sourceLocation: sourceLocation)
    }
  }

  private static func outcome(_ body: () throws -> String) -> String {
    do {
      return try body()
    } catch DecodingError.keyNotFound(let key, let context) {
      return "no key \(key.stringValue) at \(text(context.codingPath))"
    } catch DecodingError.valueNotFound(_, let context) {
      return "no value at \(text(context.codingPath))"
    } catch DecodingError.typeMismatch(_, let context) {
      return "another type at \(text(context.codingPath))"
    } catch DecodingError.dataCorrupted(let context) {
      return "corrupted at \(text(context.codingPath))"
    } catch {
      return "\(error)"
    }
  }

  // W-7
  @Test func `a missing member is a key that is not found`() throws {
    try expectSame([
      { try "\($0.keyed().decode(Int.self, forKey: "none"))" },
      { try "\($0.keyed().decode(String.self, forKey: "none"))" },
      { try "\($0.keyed().decode(Person.self, forKey: "none"))" },
      { try "\($0.keyed().decodeNil(forKey: "none"))" },
      { try "\($0.keyed().decodeIfPresent(Int.self, forKey: "none") ?? 0)" },
      { try "\($0.keyed("inner").decode(Int.self, forKey: "none"))" },
      { try "\($0.keyed("inner").keyed("deep").decode(Int.self, forKey: "none"))" },
      { try "\($0.keyed("inner").keyed("none").allKeys)" },
      { try "\($0.keyed().decode([Person].self, forKey: "people"))" },
      { try "\($0.keyed().decode(Person.self, forKey: "inner"))" },
    ])
  }

  // W-7, W-8
  @Test func `a handler of missing members is called, and the value is there`() {
    #expect(Counted(stored: ["name": "n"]) == Counted(count: -1))
    #expect(Counted(stored: ["count": 3]) == Counted(count: 3))
    #expect(Counted(stored: ["count": "many"]) == nil)
  }

  // W-7
  @Test func `where nil is, there is no value`() throws {
    try expectSame([
      { try "\($0.keyed().decode(Int.self, forKey: "null"))" },
      { try "\($0.keyed().decode(Person.self, forKey: "null"))" },
      { try "\($0.keyed().decode([Int].self, forKey: "null"))" },
      { try "\($0.keyed().decode(Int?.self, forKey: "null") ?? 0)" },
      { try "\($0.keyed().decodeNil(forKey: "null"))" },
      { try "\($0.keyed().decodeIfPresent(Int.self, forKey: "null") ?? 0)" },
      { try "\($0.keyed("null").allKeys)" },
      { try "\($0.keyed().unkeyed("null").isAtEnd)" },
      { try "\($0.keyed().superDecoder(forKey: "null").keyed().allKeys)" },
      { try "\($0.keyed().superDecoder(forKey: "null").unkeyedContainer().isAtEnd)" },
    ])
  }

  // W-7
  @Test func `a value of another type is said to be one, and where`() throws {
    try expectSame([
      { try "\($0.keyed().decode(Int.self, forKey: "name"))" },
      { try "\($0.keyed().decode(String.self, forKey: "size"))" },
      { try "\($0.keyed().decode(Person.self, forKey: "name"))" },
      { try "\($0.keyed().decode([Int].self, forKey: "name"))" },
      { try "\($0.keyed().decode([Int].self, forKey: "list"))" },
      { try "\($0.keyed().decode([String: Int].self, forKey: "super"))" },
      { try "\($0.keyed().decode([Counted].self, forKey: "people"))" },
      { try "\($0.keyed().decode(Layers.self, forKey: "inner"))" },
      // As in a generic type, whose member can be optional.
      { try "\($0.keyed().decode(Int?.self, forKey: "name") ?? 0)" },
      { try "\($0.keyed().decode([Int?].self, forKey: "list"))" },
      { try "\($0.singleValueContainer().decode(Int?.self) ?? 0)" },
      { try "\($0.keyed("name").allKeys)" },
      { try "\($0.keyed("list").allKeys)" },
      { try "\($0.keyed().unkeyed("inner").isAtEnd)" },
      { try "\($0.keyed("inner").decode(String.self, forKey: "x"))" },
      { try "\($0.keyed("inner").keyed("deep").decode(Int.self, forKey: "y"))" },
      { try "\($0.keyed("inner").unkeyed("deep").isAtEnd)" },
      { try "\($0.singleValueContainer().decode(Int.self))" },
      { try "\($0.unkeyedContainer().isAtEnd)" },
    ])
  }

  // W-7
  @Test func `several containers for one key are one`() throws {
    let ours = try StoredEncoder.encode(Pieces())
    let theirs = try PropertyList.decode([UInt8](PropertyListEncoder().encode(Pieces()))).value
    #expect(ours == ["a": ["x": 1, "y": 2], "b": [1, 2]])
    #expect(ours == theirs)
  }

  /// Encodes each of its members in two pieces.
  private struct Pieces: Encodable {
    func encode(to encoder: any Encoder) throws {
      var whole = encoder.container(keyedBy: Piece.self)
      for (number, name) in [Piece("x"), Piece("y")].enumerated() {
        var part = whole.nestedContainer(keyedBy: Piece.self, forKey: Piece("a"))
        try part.encode(number + 1, forKey: name)
        var list = whole.nestedUnkeyedContainer(forKey: Piece("b"))
        try list.encode(number + 1)
      }
    }
  }

  private struct Piece: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  // W-7
  @Test func `elements are counted in the path`() throws {
    let tail: @Sendable (any Decoder, Int) throws -> any UnkeyedDecodingContainer = {
      var list = try $0.keyed().unkeyed("list")
      for _ in 0..<$1 {
        if try !list.decodeNil() { _ = try list.superDecoder() }
      }
      return list
    }
    try expectSame([
      {
        var list = try tail($0, 1); return try "\(list.decode(Int.self))"
      },
      {
        var list = try tail($0, 1); return try "\(list.decode(Person.self))"
      },
      {
        var list = try tail($0, 2); return try "\(list.decode(Int.self))"
      },
      {
        var list = try tail($0, 2); return try "\(list.nestedUnkeyedContainer().isAtEnd)"
      },
      {
        var list = try tail($0, 5); return try "\(list.decode(Int.self))"
      },
      {
        var list = try tail($0, 5); return try "\(list.decodeNil())"
      },
      {
        var list = try tail($0, 5); return try "\(list.superDecoder())"
      },
      {
        var list = try tail($0, 5); return try "\(list.nestedUnkeyedContainer().isAtEnd)"
      },
      {
        var list = try tail($0, 0); return try "\(list.nestedContainer(keyedBy: Name.self))"
      },
      {
        var list = try tail($0, 3); return try "\(list.decode([Int].self))"
      },
      {
        var list = try tail($0, 3)
        var inner = try list.nestedUnkeyedContainer()
        _ = try inner.decode(Int.self)
        return try text(inner.codingPath) + "\(inner.decode(Int.self))"
      },
      {
        var list = try tail($0, 4)
        let inner = try list.nestedContainer(keyedBy: Name.self)
        return try text(inner.codingPath) + "\(inner.decode(Int.self, forKey: "x"))"
      },
      {
        var list = try tail($0, 4); return try text(list.superDecoder().codingPath)
      },
    ])
  }

  // W-7
  @Test func `a decoder knows its path, and a superclass's stands under its key`() throws {
    let withoutSuper: PropertyListValue = ["x": 1]
    try expectSame([
      { try text($0.keyed("inner").codingPath) },
      { try text($0.keyed("inner").keyed("deep").codingPath) },
      { try text($0.keyed().unkeyed("list").codingPath) },
      { try text($0.keyed().superDecoder().codingPath) },
      { try text($0.keyed().superDecoder(forKey: "inner").codingPath) },
      { try "\($0.keyed().superDecoder().keyed().decode(Int.self, forKey: "x"))" },
      { try "\($0.keyed().superDecoder().keyed().decode(String.self, forKey: "x"))" },
      { try "\($0.keyed().superDecoder(forKey: "name").keyed().allKeys)" },
    ])
    try expectSame(
      [
        { try text($0.keyed().superDecoder().codingPath) },
        { try "\($0.keyed().superDecoder().keyed().allKeys)" },
        { try "\($0.keyed().superDecoder(forKey: "none").unkeyedContainer().isAtEnd)" },
        { try "\($0.keyed().superDecoder(forKey: "none").singleValueContainer().decodeNil())" },
      ], in: withoutSuper)
  }

  // W-7
  @Test func `a value that a type does not have is corrupted data`() throws {
    try expectSame(
      [
        { try "\($0.keyed().decode(Int8.self, forKey: "large"))" },
        { try "\($0.keyed().decode(UInt.self, forKey: "negative"))" },
        { try "\($0.keyed().decode(Int.self, forKey: "fraction"))" },
        { try "\($0.keyed().decode(Side.self, forKey: "text"))" },
        { try "\($0.keyed().decode(Side.self, forKey: "large"))" },
        { try "\($0.keyed().decode([Side].self, forKey: "texts"))" },
        { try "\($0.keyed().decode(UUID.self, forKey: "text"))" },
        { try "\($0.keyed().decode(UUID.self, forKey: "large"))" },
      ],
      in: ["large": 200, "negative": -1, "fraction": 0.5, "text": "a", "texts": ["light", "a"]])
  }

  // W-7
  @Test func `an encoder knows its path`() throws {
    let written = Written {
      var container = $0.container(keyedBy: Name.self)
      let inner = container.nestedContainer(keyedBy: Name.self, forKey: "inner")
      let list = container.nestedUnkeyedContainer(forKey: "list")
      let (parent, other) = (container.superEncoder(), container.superEncoder(forKey: "other"))
      let member = Written()
      try container.encode(member, forKey: "member")
      let paths = [inner.codingPath, list.codingPath, parent.codingPath, other.codingPath]
      return paths.map { text($0) } + member.heard.all
    }
    _ = try PropertyListEncoder().encode(written)
    let theirs = written.heard.all
    _ = try StoredEncoder.encode(written)
    #expect(theirs == ["/inner", "/list", "/super", "/other", "/member"])
    #expect(written.heard.all == theirs + theirs)
    let list = Written {
      var container = $0.container(keyedBy: Name.self)
      var list = container.nestedUnkeyedContainer(forKey: "list")
      try list.encode(1)
      let (inner, deep) = (list.nestedContainer(keyedBy: Name.self), list.nestedUnkeyedContainer())
      let (parent, member) = (list.superEncoder(), Written())
      try list.encode(member)
      let paths = [inner.codingPath, deep.codingPath, parent.codingPath]
      return paths.map { text($0) } + member.heard.all
    }
    // Foundation's forgets the list's own path here.
    _ = try StoredEncoder.encode(list)
    #expect(list.heard.all == (1...4).map { place in "/list/Index \(place)#\(place)" })
  }
}

private func text(_ path: [any CodingKey]) -> String {
  "/" + path.map { $0.stringValue + ($0.intValue.map { "#\($0)" } ?? "") }.joined(separator: "/")
}

/// Decodes by the steps of a test.
private struct Read: Decodable {
  @TaskLocal static var steps: StoredCodingTests.Steps = { _ in "" }
  let result: String
  init(from decoder: any Decoder) throws { result = try Self.steps(decoder) }
}

/// Encodes by the steps of a test, and keeps the paths that they tell.
private struct Written: Encodable {
  let heard = Box<String>()
  var steps: @Sendable (any Encoder) throws -> [String] = {
    _ = $0.container(keyedBy: Name.self)
    return [text($0.codingPath)]
  }
  func encode(to encoder: any Encoder) throws { try steps(encoder).forEach(heard.add) }
}

private struct Person: Codable { var name: String }

private enum Side: String, Codable, StorableValue { case light, dark }

private struct Layers: Codable, StorableValue {
  struct Layer: Codable, StorableValue { var y: Int }
  var deep: Layer
}

/// A value that was stored without its number before.
private struct Counted: Codable, StorableValue, Equatable {
  var count: Int
  init(count: Int) { self.count = count }
  init(from decoder: any Decoder) throws {
    let container = try decoder.keyed()
    do {
      count = try container.decode(Int.self, forKey: "count")
    } catch DecodingError.keyNotFound {
      count = try container.contains("nobody") ? container.decode(Int.self, forKey: "name") : -1
    }
  }
}

private struct Name: CodingKey, ExpressibleByStringLiteral {
  let stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init(stringLiteral value: String) { stringValue = value }
  init?(intValue: Int) { nil }
}

private extension Decoder {
  func keyed() throws -> KeyedDecodingContainer<Name> { try container(keyedBy: Name.self) }
  func keyed(_ key: Name) throws -> KeyedDecodingContainer<Name> { try keyed().keyed(key) }
}

private extension KeyedDecodingContainer<Name> {
  func keyed(_ key: Name) throws -> KeyedDecodingContainer<Name> {
    try nestedContainer(keyedBy: Name.self, forKey: key)
  }
  func unkeyed(_ key: Name) throws -> any UnkeyedDecodingContainer {
    try nestedUnkeyedContainer(forKey: key)
  }
}
