import Configuration
import Strata
import Testing

@testable import SettingsAdapter

/// The adapter in the documentation, through the protocol of the library that it is for.
struct SettingsProviderTests {
  private let defaults = UserDefaults.inMemory([
    "text": "x", "http": ["port": 8080, "ratio": 0.5, "on": true] as [String: Any],
    "key": Data([1, 2]), "texts": ["a", "b"], "numbers": [1, 2], "ratios": [0.5, 1],
    "flags": [true, false], "chunks": [Data([1]), Data([2, 3])],
  ])
  private var provider: any ConfigProvider {
    SettingsProvider(reader: SettingsReader(defaults), secrets: ["key"])
  }

  private static let contents: [(path: String, type: ConfigType, content: ConfigContent)] = [
    ("text", .string, .string("x")), ("http.port", .int, .int(8080)),
    ("http.ratio", .double, .double(0.5)), ("http.on", .bool, .bool(true)),
    ("key", .bytes, .bytes([1, 2])), ("texts", .stringArray, .stringArray(["a", "b"])),
    ("numbers", .intArray, .intArray([1, 2])), ("ratios", .doubleArray, .doubleArray([0.5, 1])),
    ("flags", .boolArray, .boolArray([true, false])),
    ("chunks", .byteChunkArray, .byteChunkArray([[1], [2, 3]])),
  ]

  private func key(_ path: String) -> AbsoluteConfigKey {
    AbsoluteConfigKey(path.split(separator: ".").map(String.init))
  }

  // W-22
  @Test func `the documented adapter returns values of all ten types`() async throws {
    for (path, type, content) in Self.contents {
      let result = LookupResult(
        encodedKey: path, value: ConfigValue(content, isSecret: path == "key"))
      #expect(try provider.value(forKey: key(path), type: type) == result)
      #expect(try await provider.fetchValue(forKey: key(path), type: type) == result)
      #expect(try provider.snapshot().value(forKey: key(path), type: type) == result)
    }
    #expect(try provider.value(forKey: key("none.x"), type: .int).value == nil)
    #expect(throws: NotConvertible.self) { try provider.value(forKey: key("text"), type: .int) }
    #expect(provider.snapshot().providerName == provider.providerName)
  }

  // W-22
  @Test(.timeLimit(.minutes(30)))
  func `the documented adapter watches a value`() async throws {
    let seen = try await provider.watchValue(forKey: key("http.port"), type: .int) { updates in
      var seen: [ConfigContent?] = []
      for await result in updates {
        seen.append(try? result.get().value?.content)
        switch seen.count {
        case 1: defaults.set(["port": 9], forKey: "http")
        case 2: defaults.set(["port": "none"], forKey: "http")
        case 3: defaults.set(1, forKey: "http.port")
        default: return seen
        }
      }
      return seen
    }
    #expect(seen == [.int(8080), .int(9), nil, .int(1)])
  }

  // W-22
  @Test(.timeLimit(.minutes(30)))
  func `the documented adapter watches snapshots, each of one moment`() async throws {
    let seen = try await provider.watchSnapshot { snapshots in
      var seen: [String] = []
      for await snapshot in snapshots {
        let new = try snapshot.value(forKey: key("new"), type: .int).value?.content
        let text = try snapshot.value(forKey: key("text"), type: .string).value?.content
        seen.append("\(new ?? .int(0)) \(text ?? .string("-"))")
        switch seen.count {
        case 1:
          defaults.transaction { draft in
            draft["new"] = 1
            draft["text"] = nil
          }
        case 2: defaults.register(defaults: ["text": "registered"])
        default: return seen
        }
      }
      return seen
    }
    #expect(
      seen == ["int(0) string(\"x\")", "int(1) string(\"-\")", "int(1) string(\"registered\")"])
  }
}
