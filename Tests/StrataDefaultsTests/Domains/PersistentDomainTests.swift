import Foundation
import StrataDomains
import StrataPropertyList
import Synchronization
import Testing

import class StrataDefaults.UserDefaults
@testable import StrataStorage

/// Domains as a whole, on disk.
struct PersistentDomainTests {
  // S-4
  @Test func `what was set in another domain is durable once synchronize says so`() throws {
    let fixture = try DefaultsFixture()
    let name = "com.example.other"
    fixture.defaults.setPersistentDomain(["a": 1], forName: name)
    let store = try #require(
      StorageProcess.current.openStores.first {
        $0.paths.plist == "\(fixture.userDirectory)/\(name).plist"
      })
    #expect(fixture.defaults.synchronize())
    let journal = try #require(store.journal)
    #expect(journal.syncedLength.pointee.load(ordering: .relaxed) == UInt64(journal.length))
  }

  // D-12
  @Test func `a persistent domain is what the domain itself has for any host`() throws {
    let host = try DefaultsFixture().process.surroundings.host.text
    let fixture = try DefaultsFixture(
      arguments: ["argument": .integer(1)],
      system: ["com.example.app.plist": ["everyone": .integer(1)]])
    try ListFile.write(
      ["host": "1"], to: fixture.userDirectory + "/ByHost/com.example.app.\(host).plist")
    fixture.defaults.register(defaults: ["registered": 1])
    #expect(fixture.defaults.string(forKey: "host") == "1")
    let name = DefaultsFixture.identifier
    #expect(fixture.defaults.persistentDomain(forName: name) == nil)
    fixture.defaults.set(1, forKey: "own")
    #expect(fixture.defaults.persistentDomain(forName: name) as? [String: Int] == ["own": 1])
    #expect(fixture.defaults.persistentDomain(forName: "never") == nil)
    fixture.defaults.removeObject(forKey: "own")
    #expect(fixture.defaults.persistentDomain(forName: name) == nil)
  }

  // D-13
  @Test func `a persistent domain is replaced as a whole for every object`() throws {
    let fixture = try DefaultsFixture()
    let suite = try fixture.suite("suite")
    suite.set(1, forKey: "old")
    fixture.defaults.addSuite(named: "suite")
    fixture.defaults.setPersistentDomain(["new": 2, "more": 3], forName: "suite")
    for defaults in [suite, fixture.defaults, try fixture.suite("suite")] {
      #expect(defaults.object(forKey: "old") == nil)
      #expect(defaults.integer(forKey: "new") == 2)
    }
    #expect(
      try fixture.suite("x").persistentDomain(forName: "suite") as? [String: Int]
        == ["new": 2, "more": 3])
    fixture.defaults.removePersistentDomain(forName: "suite")
    #expect(suite.object(forKey: "new") == nil)
    #expect(fixture.defaults.persistentDomain(forName: "suite") == nil)
  }

  // D-13
  @Test func `to replace a persistent domain and to remove it is told`() throws {
    let fixture = try DefaultsFixture()
    nonisolated(unsafe) var count = 0
    let token = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: fixture.defaults, queue: nil
    ) { _ in count += 1 }
    defer { NotificationCenter.default.removeObserver(token) }
    fixture.defaults.setPersistentDomain(["a": 1], forName: "suite")
    #expect(count == 1)
    fixture.defaults.removePersistentDomain(forName: "suite")
    #expect(count == 2)
  }

  // D-13
  @Test func `no reader sees a domain half replaced`() throws {
    let fixture = try DefaultsFixture()
    let (writer, reader) = (fixture.defaults, try fixture.suite("reader"))
    nonisolated(unsafe) var torn = 0
    DispatchQueue.concurrentPerform(iterations: 2) { side in
      for number in 0..<500 {
        if side == 0 {
          writer.setPersistentDomain(["a": number, "b\(number % 2)": number], forName: "suite")
        } else if let domain = reader.persistentDomain(forName: "suite") {
          if domain.count != 2 || Set(domain.values.compactMap { $0 as? Int }).count != 1 {
            torn += 1
          }
        }
      }
    }
    #expect(torn == 0)
    #expect(reader.persistentDomain(forName: "suite") as? [String: Int] == ["a": 499, "b1": 499])
  }

  // D-15
  @Test func `the names of the user's domains are those that can be asked for`() throws {
    let fixture = try DefaultsFixture(system: ["everyone.plist": ["a": .integer(1)]])
    let domains: any DomainNaming = fixture.defaults
    #expect(domains.persistentDomainNames().isEmpty)
    fixture.defaults.set(1, forKey: "a")
    try fixture.suite("suite").set(1, forKey: "a")
    fixture.defaults.setPersistentDomain(["a": 1], forName: UserDefaults.globalDomain)
    try ListFile.write(["a": "1"], to: fixture.userDirectory + "/by-hand.plist")
    try ListFile.write(["a": "1"], to: fixture.userDirectory + "/.hidden.plist")
    try ListFile.write(["a": "1"], to: fixture.userDirectory + "/notes.txt")
    let expected = ["NSGlobalDomain", "by-hand", "com.example.app", "suite"]
    #expect(domains.persistentDomainNames() as? [String] == expected)
    #expect(fixture.defaults.synchronize())
    #expect(domains.persistentDomainNames() as? [String] == expected)
    for name in expected {
      #expect(fixture.defaults.persistentDomain(forName: name) != nil, "\(name)")
    }
  }
}

/// A way to what the library advises against.
private protocol DomainNaming { func persistentDomainNames() -> [Any] }
extension UserDefaults: DomainNaming {}
