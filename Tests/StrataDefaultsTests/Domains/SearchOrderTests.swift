import Foundation
import StrataDomains
import StrataPropertyList
import Testing

import class StrataDefaults.UserDefaults

/// Of two places that have a key, which one gives the value.
struct SearchOrderTests {
  private static let host = HostIdentifier(of: "a machine").text

  /// Each place in its order: its name and, where it has a file, its path in the fixture.
  private static let places: [(name: String, file: String?)] = [
    ("managed user", "system/managed/users/someone/com.example.app.plist"),
    ("managed user global", "system/managed/users/someone/.GlobalPreferences.plist"),
    ("managed", "system/managed/com.example.app.plist"),
    ("managed global", "system/managed/.GlobalPreferences.plist"),
    ("arguments", nil),
    ("application host", ".config/defaults/ByHost/com.example.app.\(host).plist"),
    ("application", ".config/defaults/com.example.app.plist"),
    ("first suite host", ".config/defaults/ByHost/first.\(host).plist"),
    ("first suite", ".config/defaults/first.plist"),
    ("second suite host", ".config/defaults/ByHost/second.\(host).plist"),
    ("second suite", ".config/defaults/second.plist"),
    ("global host", ".config/defaults/ByHost/.GlobalPreferences.\(host).plist"),
    ("global", ".config/defaults/.GlobalPreferences.plist"),
    ("application everyone", "system/com.example.app.plist"),
    ("first suite everyone", "system/first.plist"),
    ("second suite everyone", "system/second.plist"),
    ("global everyone", "system/.GlobalPreferences.plist"),
    ("recommended", "system/recommended/com.example.app.plist"),
    ("recommended global", "system/recommended/.GlobalPreferences.plist"),
    ("languages", nil),
    ("registration", nil),
  ]

  /// In the place at `position`: a key that it shares with each neighbour, one that it shares with
  /// all places behind it, and one of its own.
  private static func keys(at position: Int) -> [String] {
    ["pair \(position - 1)", "pair \(position)", "only \(position)"]
      + (0...position).map { "from \($0)" }
  }

  private static func values(at position: Int) -> [String: String] {
    keys(at: position).reduce(into: [:]) { $0[$1] = places[position].name }
  }

  private func program() throws -> DefaultsFixture {
    let home = try DefaultsFixture()
    for (position, place) in Self.places.enumerated() {
      guard let file = place.file else { continue }
      try ListFile.write(Self.values(at: position), to: home.directory + "/" + file)
    }
    return home
  }

  private func started(in home: DefaultsFixture) throws -> UserDefaults {
    let values = { (name: String) -> [String: String] in
      Self.places.firstIndex { $0.name == name }.map(Self.values) ?? [:]
    }
    let fixture = try DefaultsFixture(
      arguments: values("arguments").mapValues { .string($0) }, in: home.directory)
    fixture.defaults.setVolatileDomain(values("languages"), forName: UserDefaults.languageDomain)
    fixture.defaults.register(defaults: values("registration"))
    fixture.defaults.addSuite(named: "first")
    fixture.defaults.addSuite(named: "second")
    return fixture.defaults
  }

  // D-1, D-4
  @Test func `each place goes before its neighbour and before all behind it`() throws {
    let home = try program()
    let defaults = try started(in: home)
    for (position, place) in Self.places.enumerated() {
      #expect(defaults.string(forKey: "only \(position)") == place.name)
      #expect(defaults.string(forKey: "pair \(position)") == place.name)
      #expect(defaults.string(forKey: "from \(position)") == place.name)
    }
    let all = try #require(defaults.dictionaryRepresentation() as? [String: String])
    for (position, place) in Self.places.enumerated() {
      #expect(all["pair \(position)"] == place.name)
    }
  }

  // D-1
  @Test func `a key is looked for again behind a place that lost it`() throws {
    let home = try program()
    let defaults = try started(in: home)
    #expect(defaults.string(forKey: "pair 6") == "application")
    defaults.removeObject(forKey: "pair 6")
    #expect(defaults.string(forKey: "pair 6") == "first suite host")
    defaults.set("set", forKey: "pair 6")
    #expect(defaults.string(forKey: "pair 6") == "set")
    defaults.set("set", forKey: "from 5")
    #expect(defaults.string(forKey: "from 5") == "application host")
  }

  // D-2
  @Test func `a suite has the same list with itself in the application's place`() throws {
    let fixture = try DefaultsFixture(
      arguments: ["argument": .string("yes")],
      system: [
        "managed/suite.plist": ["forced": .string("suite")],
        "managed/com.example.app.plist": ["forced": .string("application")],
        "suite.plist": ["everyone": .string("suite")],
        "com.example.app.plist": ["everyone": .string("application")],
      ])
    fixture.defaults.set("application", forKey: "own")
    fixture.defaults.register(defaults: ["registered": "yes"])
    fixture.defaults.setPersistentDomain(["global": "yes"], forName: UserDefaults.globalDomain)
    let suite = try fixture.suite("suite")
    #expect(suite.string(forKey: "forced") == "suite")
    #expect(suite.string(forKey: "everyone") == "suite")
    #expect(suite.object(forKey: "own") == nil)
    for key in ["argument", "registered", "global"] {
      #expect(suite.string(forKey: key) == "yes", "\(key)")
    }
    #expect(suite.string(forKey: "NSDecimalSeparator") == ".")
    suite.register(defaults: ["later": "yes"])
    #expect(fixture.defaults.string(forKey: "later") == "yes")
  }
}
