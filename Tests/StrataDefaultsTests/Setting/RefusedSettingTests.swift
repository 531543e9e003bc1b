import Foundation
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// That what no property list can hold ends the program, with a text that says what it was; each
/// of these programs is a process of its own.
struct RefusedSettingTests {
  /// A mistake of a caller's, and what is said of it.
  enum Mistake: String, CaseIterable, Codable {
    case null, set, custom, key, nestedNull, deepSet, nestedURL, float16, insideOptional

    private final class Custom: CustomStringConvertible {
      var description: String { "a custom object" }
    }

    var value: Any {
      switch self {
      case .null: NSNull()
      case .set: Set([7])
      case .custom: Custom()
      case .key: [1: "a"]
      case .nestedNull: ["a", NSNull()] as [Any]
      case .deepSet: ["a": [["b": Set([7])]]]
      case .nestedURL: ["a": URL(filePath: "/x")]
      case .float16: Float16(1.5)
      case .insideOptional: ["a": Int?.none]
      }
    }

    /// How Apple's platforms name it, and where it lies inside of the value.
    var text: String {
      switch self {
      case .null: "<null> for key theme"
      case .set: "[7] for key theme"
      case .custom: "a custom object for key theme"
      case .key: "dictionary with the key 1 for key theme (a key must be a String)"
      case .nestedNull: "<null> for key theme (at [1])"
      case .deepSet: "[7] for key theme (at [\"a\"][0][\"b\"])"
      case .nestedURL: "file:///x for key theme (at [\"a\"])"
      case .float16: "1.5 for key theme"
      case .insideOptional: "nil for key theme (at [\"a\"])"
      }
    }
  }

  /// The ways in which a value reaches a domain.
  enum Way: String, CaseIterable, Codable {
    case setValue, register, setVolatileDomain, setPersistentDomain

    func take(_ value: Any, _ defaults: UserDefaults) {
      switch self {
      case .setValue: defaults.setValue(value, forKey: "theme")
      case .register: defaults.register(defaults: ["theme": value])
      case .setVolatileDomain: defaults.setVolatileDomain(["theme": value], forName: "v")
      case .setPersistentDomain: defaults.setPersistentDomain(["theme": value], forName: "p")
      }
    }
  }

  /// What cannot be a key.
  enum Key: String, CaseIterable, Codable {
    case tooLong, withNUL

    var text: String {
      self == .tooLong ? String(repeating: "k", count: 1 << 16 + 1) : "a\0b"
    }
    var reason: String {
      self == .tooLong
        ? "a key has at most 65536 bytes, this one has 65537"
        : "a key cannot contain the NUL character"
    }
  }

  private func lastWords(_ result: ExitTest.Result?) -> Substring? {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    return text.split(separator: "\n").lazy.compactMap { line in
      line.range(of: "Fatal error: ").map { line[$0.upperBound...] }
    }.first
  }

  // V-24
  @Test(arguments: Mistake.allCases)
  func `to set what no property list holds ends the program`(mistake: Mistake) async throws {
    let fixture = try DefaultsFixture()
    let directory = fixture.directory
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [directory = directory as String, mistake] in
      let defaults = try DefaultsFixture(in: directory).defaults
      defaults.set("before", forKey: "theme")
      defaults.set(mistake.value, forKey: "theme")
    }
    #expect(
      lastWords(result) == "Attempt to insert non-property list object \(mistake.text)")
    #expect(fixture.defaults.string(forKey: "theme") == "before")
  }

  // V-25
  @Test func `to set a typed key whose name is none ends the program`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let defaults = UserDefaults.inMemory()
      defaults[UserDefaults.Key("a\0b", default: 0)] = 5
    }
    #expect(lastWords(result)?.contains("NUL") == true)
  }

  // V-24, V-20
  @Test(arguments: Way.allCases)
  func `every way in refuses what set refuses`(way: Way) async throws {
    let directory = try DefaultsFixture().directory
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [directory = directory as String, way] in
      way.take([URL(filePath: "/x")], try DefaultsFixture(in: directory).defaults)
    }
    #expect(
      lastWords(result)
        == "Attempt to insert non-property list object file:///x for key theme (at [0])")
  }

  // V-24
  @Test func `store throws where set ends the program, and changes nothing`() throws {
    let defaults = try DefaultsFixture().defaults
    for mistake in Mistake.allCases {
      defaults.set("before", forKey: "theme")
      do throws(DefaultsError) {
        try defaults.store(mistake.value, forKey: "theme")
        Issue.record("\(mistake) was stored")
      } catch {
        #expect(error.key == "theme" && error.path == nil)
        #expect(error.localizedDescription == error.description)
        #expect("\(error)" == "Attempt to insert non-property list object \(mistake.text)")
      }
      #expect(defaults.string(forKey: "theme") == "before")
    }
  }

  // V-25
  @Test(arguments: Key.allCases)
  func `to set a key that cannot be one ends the program`(key: Key) async throws {
    let fixture = try DefaultsFixture()
    let directory = fixture.directory
    let untyped = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [directory = directory as String, key] in
      try DefaultsFixture(in: directory).defaults.set("x" as Any?, forKey: key.text)
    }
    #expect(lastWords(untyped)?.hasPrefix("Attempt to insert an object for key ") == true)
    #expect(lastWords(untyped)?.hasSuffix("(\(key.reason))") == true)
    let typed = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [directory = directory as String, key] in
      try DefaultsFixture(in: directory).defaults.set(1, forKey: key.text)
    }
    #expect(lastWords(typed) == lastWords(untyped))
    for value in ["x", 1, nil] as [Any?] {
      #expect(throws: DefaultsError.self) { try fixture.defaults.store(value, forKey: key.text) }
    }
    #expect(fixture.defaults.object(forKey: key.text) == nil)
  }
}
