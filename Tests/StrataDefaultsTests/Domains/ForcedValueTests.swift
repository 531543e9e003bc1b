import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// What an administrator forces, and whose files can.
struct ForcedValueTests {
  private static let managed = "managed/com.example.app.plist"

  // D-10
  @Test func `a value is forced exactly when it is read from a managed place`() throws {
    let fixture = try DefaultsFixture(
      arguments: ["argument": .string("argument"), "forced": .string("argument")],
      system: [
        Self.managed: ["forced": .string("managed")],
        "managed/users/someone/com.example.app.plist": ["mine": .string("managed")],
        "managed/users/other/com.example.app.plist": ["other": .string("managed")],
        "managed/suite.plist": ["suite": .string("managed")],
        "recommended/com.example.app.plist": ["recommended": .string("recommended")],
        "com.example.app.plist": ["everyone": .string("everyone")],
      ])
    fixture.defaults.set("own", forKey: "own")
    for key in ["forced", "mine"] {
      #expect(fixture.defaults.objectIsForced(forKey: key), "\(key)")
      #expect(fixture.defaults.string(forKey: key) == "managed")
    }
    for key in ["argument", "recommended", "everyone", "own"] {
      #expect(!fixture.defaults.objectIsForced(forKey: key), "\(key)")
      #expect(fixture.defaults.string(forKey: key) == key)
    }
    for key in ["other", "suite", "never"] {
      #expect(!fixture.defaults.objectIsForced(forKey: key), "\(key)")
      #expect(fixture.defaults.object(forKey: key) == nil)
    }
  }

  // D-1, D-10
  @Test func `what is managed in the global domain is forced in each list, once`() throws {
    let fixture = try DefaultsFixture(system: [
      "managed/.GlobalPreferences.plist": ["forced": .integer(1), "both": .integer(1)],
      Self.managed: ["both": .integer(2)],
      "recommended/.GlobalPreferences.plist": ["recommended": .integer(1)],
    ])
    let suite = try fixture.suite("suite")
    for defaults in [fixture.defaults, suite] {
      defaults.set(3, forKey: "forced")
      #expect(defaults.integer(forKey: "forced") == 1)
      #expect(defaults.objectIsForced(forKey: "forced"))
      #expect(defaults.integer(forKey: "recommended") == 1)
      #expect(!defaults.objectIsForced(forKey: "recommended"))
    }
    #expect(fixture.defaults.integer(forKey: "both") == 2)
    #expect(suite.integer(forKey: "both") == 1)
    let global = fixture.defaults.stack.process.stack(of: .global).sources()
    #expect(global.count { $0.place == .managed } == 1)
    let own = fixture.defaults.stack.sources().filter { $0.place == .managed }
    #expect(own.map(\.identifier.name) == [DefaultsFixture.identifier, "NSGlobalDomain"])
  }

  // D-10
  @Test func `another identifier has forced values of its own`() throws {
    let fixture = try DefaultsFixture(system: [
      Self.managed: ["forced": .integer(1)], "managed/suite.plist": ["suite": .integer(1)],
    ])
    let own = DefaultsFixture.identifier
    #expect(fixture.defaults.objectIsForced(forKey: "suite", inDomain: "suite"))
    #expect(!fixture.defaults.objectIsForced(forKey: "forced", inDomain: "suite"))
    #expect(fixture.defaults.objectIsForced(forKey: "forced", inDomain: own))
    let suite = try fixture.suite("suite")
    #expect(suite.objectIsForced(forKey: "suite"))
    #expect(suite.objectIsForced(forKey: "forced", inDomain: own))
    // An added suite's forced values are the suite's alone.
    fixture.defaults.addSuite(named: "suite")
    #expect(!fixture.defaults.objectIsForced(forKey: "suite"))
    #expect(fixture.defaults.object(forKey: "suite") == nil)
  }

  // D-11
  @Test func `to set a forced key writes to the own domain and changes nothing that is read`()
    throws
  {
    let fixture = try DefaultsFixture(system: [Self.managed: ["key": .string("managed")]])
    try fixture.defaults.store("stored", forKey: "key")
    #expect(fixture.defaults.string(forKey: "key") == "managed")
    fixture.defaults.set("set", forKey: "key")
    #expect(fixture.defaults.string(forKey: "key") == "managed")
    #expect(fixture.defaults.objectIsForced(forKey: "key"))
    let own = fixture.defaults.persistentDomain(forName: DefaultsFixture.identifier)
    #expect(own as? [String: String] == ["key": "set"])
    let path = fixture.directory + "/system/" + Self.managed
    #expect(try ListFile.values(of: path) == ["key": .string("managed")])
    try FileManager.default.removeItem(atPath: path)
    #expect(DefaultsFixture.holds(within: 600) { fixture.defaults.string(forKey: "key") == "set" })
    #expect(!fixture.defaults.objectIsForced(forKey: "key"))
  }

  // D-1, D-10
  @Test func `an administrator's files count once they are there`() throws {
    let fixture = try DefaultsFixture()
    fixture.defaults.set("own", forKey: "key")
    #expect(fixture.defaults.string(forKey: "key") == "own")
    try ListFile.write(["key": "managed"], to: fixture.directory + "/system/" + Self.managed)
    #expect(
      DefaultsFixture.holds(within: 600) { fixture.defaults.string(forKey: "key") == "managed" })
    #expect(fixture.defaults.objectIsForced(forKey: "key"))
  }

  // -- Whose files count

  private static let lists = [
    Self.managed, "managed/users/someone/com.example.app.plist",
    "recommended/com.example.app.plist",
  ]

  /// What is read of a list after something was done to its path.
  private func read(_ list: String, after change: (String) throws -> Void) throws -> String? {
    let home = try DefaultsFixture()
    let path = home.directory + "/system/" + list
    try ListFile.write(["key": "found"], to: path)
    try change(path)
    let defaults = try DefaultsFixture(in: home.directory).defaults
    let found = defaults.string(forKey: "key")
    #expect(
      defaults.objectIsForced(forKey: "key") == (found != nil && list.hasPrefix("managed")))
    let issues = UserDefaults.storageIssues.filter { $0.path == path }
    #expect(issues.map(\.kind) == (found == nil ? [.notTrusted] : []))
    return found
  }

  // D-27
  @Test(arguments: lists)
  func `a file that only its owner can write counts`(list: String) throws {
    #expect(try read(list) { chmod($0, 0o644) } == "found")
    #expect(try read(list) { chmod($0, 0o400) } == "found")
  }

  // D-27
  @Test(arguments: lists, [0o020, 0o002] as [mode_t])
  func `what others could write does not count`(list: String, bit: mode_t) throws {
    #expect(try read(list) { chmod($0, 0o644 | bit) } == nil)
    #expect(try read(list) { chmod(directory(of: $0), 0o755 | bit) } == nil)
  }

  // D-27
  @Test(arguments: lists)
  func `a link on the way down is refused`(list: String) throws {
    for path in [{ $0 }, directory] {
      let found = try read(list) {
        let name = path($0)
        rename(name, name + ".real")
        symlink(name + ".real", name)
      }
      #expect(found == nil)
    }
  }

  // D-27
  @Test(.enabled(if: geteuid() == 0, "only root can give files away"), arguments: lists)
  func `a file that a user planted does not count and nor does a directory`(list: String) throws {
    #expect(try read(list) { chown($0, 0, 0) } == "found")
    #expect(try read(list) { chown($0, 65534, 65534) } == nil)
    #expect(try read(list) { chown(directory(of: $0), 65534, 65534) } == nil)
    // Who owns the whole directory that takes the system's place is its administrator.
    #expect(
      try read(list) {
        var path = $0
        while !path.hasSuffix("/system") {
          chown(path, 65534, 65534)
          path = directory(of: path)
        }
        chown(path, 65534, 65534)
      } == "found")
  }

  private func directory(of path: String) -> String {
    URL(fileURLWithPath: path).deletingLastPathComponent().path
  }
}
