import Foundation
import StrataPropertyList
import Testing

import class StrataDefaults.UserDefaults

/// Suites beside an application's own domain, and where writes go.
struct SuiteTests {
  // D-3
  @Test func `what is set in a suite shows in the application while the suite is added`() throws {
    let fixture = try DefaultsFixture()
    let suite = try fixture.suite("suite")
    suite.set("suite", forKey: "key")
    suite.set("suite", forKey: "both")
    fixture.defaults.set("own", forKey: "both")
    let global = UserDefaults.globalDomain
    fixture.defaults.setPersistentDomain(["key": "global"], forName: global)
    #expect(fixture.defaults.string(forKey: "key") == "global")
    fixture.defaults.addSuite(named: "suite")
    #expect(fixture.defaults.string(forKey: "key") == "suite")
    #expect(fixture.defaults.string(forKey: "both") == "own")
    suite.set("later", forKey: "key")
    #expect(fixture.defaults.string(forKey: "key") == "later")
    fixture.defaults.removeSuite(named: "suite")
    #expect(fixture.defaults.string(forKey: "key") == "global")
  }

  // D-3, D-4
  @Test func `a suite stays added when the object by which it was added is gone`() throws {
    let fixture = try DefaultsFixture()
    try fixture.suite("added").set(1, forKey: "key")
    try fixture.suite("one").addSuite(named: "added")
    #expect(try fixture.suite("one").integer(forKey: "key") == 1)
    try fixture.suite("one").removeSuite(named: "added")
    #expect(try fixture.suite("one").object(forKey: "key") == nil)
  }

  // D-4
  @Test func `the suite that was added first wins and adding it again changes nothing`() throws {
    let fixture = try DefaultsFixture()
    for name in ["first", "second"] { try fixture.suite(name).set(name, forKey: "key") }
    fixture.defaults.addSuite(named: "first")
    fixture.defaults.addSuite(named: "second")
    #expect(fixture.defaults.string(forKey: "key") == "first")
    fixture.defaults.addSuite(named: "first")
    #expect(fixture.defaults.string(forKey: "key") == "first")
    fixture.defaults.removeSuite(named: "first")
    #expect(fixture.defaults.string(forKey: "key") == "second")
    fixture.defaults.addSuite(named: "first")
    #expect(fixture.defaults.string(forKey: "key") == "second")
    fixture.defaults.removeSuite(named: "second")
    fixture.defaults.removeSuite(named: "first")
    #expect(fixture.defaults.object(forKey: "key") == nil)
  }

  // D-4
  @Test func `a suite is added for all objects of an identifier and for no other`() throws {
    let fixture = try DefaultsFixture()
    let (one, same, other) = (
      try fixture.suite("one"), try fixture.suite("one"), try fixture.suite("other")
    )
    try fixture.suite("added").set(1, forKey: "key")
    one.addSuite(named: "added")
    #expect(same.integer(forKey: "key") == 1)
    #expect(try fixture.suite("one").integer(forKey: "key") == 1)
    #expect(other.object(forKey: "key") == nil)
    #expect(fixture.defaults.object(forKey: "key") == nil)
    same.removeSuite(named: "added")
    #expect(one.object(forKey: "key") == nil)
  }

  // D-4
  @Test func `to add the own domain or the global one changes nothing`() throws {
    let fixture = try DefaultsFixture()
    let global = UserDefaults.globalDomain
    try fixture.suite("suite").set("suite", forKey: "key")
    fixture.defaults.addSuite(named: global)
    fixture.defaults.addSuite(named: DefaultsFixture.identifier)
    fixture.defaults.addSuite(named: "suite")
    fixture.defaults.setPersistentDomain(["key": "global"], forName: global)
    #expect(fixture.defaults.string(forKey: "key") == "suite")
  }

  // D-5
  @Test func `no write ends up anywhere but in the own domain`() throws {
    let fixture = try DefaultsFixture(
      arguments: ["key": .string("argument")],
      system: [
        "managed/com.example.app.plist": ["key": .string("managed")],
        "recommended/com.example.app.plist": ["key": .string("recommended")],
        "com.example.app.plist": ["key": .string("everyone")],
      ])
    let defaults = fixture.defaults
    let suite = try fixture.suite("suite")
    suite.set("suite", forKey: "key")
    defaults.addSuite(named: "suite")
    defaults.register(defaults: ["key": "registered"])
    defaults.setPersistentDomain(["key": "global"], forName: UserDefaults.globalDomain)
    let others = { () -> [String?] in
      [
        defaults.volatileDomain(forName: UserDefaults.argumentDomain)["key"] as? String,
        defaults.volatileDomain(forName: UserDefaults.registrationDomain)["key"] as? String,
        defaults.persistentDomain(forName: UserDefaults.globalDomain)?["key"] as? String,
        defaults.persistentDomain(forName: "suite")?["key"] as? String,
      ]
        + (try ["managed/", "recommended/", ""].map {
          let path = fixture.directory + "/system/" + $0 + "com.example.app.plist"
          return try ListFile.values(of: path)["key"].map { "\($0)" }
        })
    }
    let before = try others()
    #expect(!before.contains(nil))
    for change in [
      { defaults.set("set", forKey: "key") }, { defaults.removeObject(forKey: "key") },
      { defaults.set("set", forKey: "other") },
      { defaults.removePersistentDomain(forName: DefaultsFixture.identifier) },
    ] {
      change()
      #expect(try others() == before)
      #expect(defaults.synchronize())
    }
    for name in ["system/managed", "system/recommended", "system"] {
      let names = try FileManager.default.contentsOfDirectory(
        atPath: fixture.directory + "/" + name)
      #expect(!names.contains(".strata"), "\(name)")
    }
  }
}
