import Foundation
import StrataPropertyList
import Testing

import class StrataDefaults.UserDefaults

/// Domains that end with the process.
struct VolatileDomainTests {
  private static let searched = [
    "NSArgumentDomain", "NSLanguageDomain", "NSRegistrationDomain",
  ]

  // D-16
  @Test func `a new process has three volatile domains`() throws {
    let defaults = try DefaultsFixture().defaults
    #expect(Set(defaults.volatileDomainNames) == Set(Self.searched))
    #expect(
      [UserDefaults.argumentDomain, UserDefaults.languageDomain, UserDefaults.registrationDomain]
        == Self.searched)
  }

  // D-17
  @Test func `a volatile domain is what it was set to and is not stored or searched`() throws {
    let fixture = try DefaultsFixture()
    fixture.defaults.setVolatileDomain(["a": 1, "b": 2], forName: "mine")
    #expect(fixture.defaults.volatileDomainNames.contains("mine"))
    fixture.defaults.setVolatileDomain(["a": 3], forName: "mine")
    #expect(fixture.defaults.volatileDomain(forName: "mine") as? [String: Int] == ["a": 3])
    #expect(
      try fixture.suite("suite").volatileDomain(forName: "mine") as? [String: Int] == ["a": 3])
    #expect(fixture.defaults.object(forKey: "a") == nil)
    #expect(fixture.defaults.synchronize())
    let next = try DefaultsFixture(in: fixture.directory).defaults
    #expect(next.volatileDomain(forName: "mine").isEmpty)
  }

  // D-17
  @Test(arguments: searched)
  func `the three domains that are searched can be replaced`(name: String) throws {
    let fixture = try DefaultsFixture(arguments: ["old": .integer(1)])
    fixture.defaults.register(defaults: ["old": 1])
    fixture.defaults.setVolatileDomain(["key": 2], forName: name)
    #expect(fixture.defaults.volatileDomain(forName: name) as? [String: Int] == ["key": 2])
    #expect(fixture.defaults.integer(forKey: "key") == 2)
    #expect(try fixture.suite("suite").integer(forKey: "key") == 2)
    #expect(Set(fixture.defaults.volatileDomainNames) == Set(Self.searched))
    #expect(fixture.defaults.persistentDomain(forName: DefaultsFixture.identifier) == nil)
  }

  // D-18
  @Test(arguments: searched + ["mine", "never"])
  func `a volatile domain that was removed is empty`(name: String) throws {
    let defaults = try DefaultsFixture(arguments: ["old": .integer(1)]).defaults
    defaults.register(defaults: ["old": 1])
    defaults.setVolatileDomain(["a": 1], forName: "mine")
    defaults.removeVolatileDomain(forName: name)
    #expect(defaults.volatileDomain(forName: name).isEmpty)
    #expect(defaults.volatileDomainNames.contains(name) == Self.searched.contains(name))
    #expect(defaults.object(forKey: "AppleLocale") != nil || name == "NSLanguageDomain")
  }

  // D-19
  @Test func `what is registered is added to what was registered before`() throws {
    let fixture = try DefaultsFixture()
    let suite = try fixture.suite("suite")
    fixture.defaults.register(defaults: ["a": 1, "b": 1])
    suite.register(defaults: ["b": 2, "c": 2])
    for defaults in [fixture.defaults, suite] {
      #expect(["a", "b", "c"].map { defaults.integer(forKey: $0) } == [1, 2, 2])
    }
    fixture.defaults.register(defaults: [:])
    #expect(fixture.defaults.integer(forKey: "b") == 2)
    fixture.defaults.set(3, forKey: "b")
    fixture.defaults.register(defaults: ["b": 4])
    #expect(fixture.defaults.integer(forKey: "b") == 3)
    fixture.defaults.removeObject(forKey: "b")
    #expect(fixture.defaults.integer(forKey: "b") == 4)
    #expect(fixture.defaults.synchronize())
    let next = try DefaultsFixture(in: fixture.directory).defaults
    #expect(next.object(forKey: "a") == nil)
    #expect(next.object(forKey: "b") == nil)
  }
}
