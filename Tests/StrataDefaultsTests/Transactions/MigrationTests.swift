import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// Migrations, within one process.
struct MigrationTests {
  private static let steps: [UserDefaults.Migration] = [
    .rename("ShowLines", to: "ShowLineNumbers"),
    .retype("Counter", to: Int.self),
    .transform("Theme", from: String.self) { Theme(rawValue: $0.lowercased()) },
    .remove("Obsolete", "Gone"),
  ]

  // W-13
  @Test func `what is reset is not migrated again`() {
    let steps: [UserDefaults.Migration] = [.transform("Timeout", from: Int.self) { $0 * 1_000 }]
    let defaults = UserDefaults.inMemory(["Timeout": 7])
    defaults.migrate(steps)
    for reset in [{ defaults.resetAll() }, { defaults.reset(prefix: "S") }] {
      reset()
      defaults.set(7_000, forKey: "Timeout")
      defaults.migrate(steps)
      #expect(defaults.integer(forKey: "Timeout") == 7_000)
    }
  }

  // W-13
  @Test func `steps are run in order, once, all at one moment, and recorded in the domain`() {
    let defaults = UserDefaults.inMemory([
      "ShowLines": true, "Counter": "12", "Theme": "DARK", "Obsolete": 1,
    ])
    let changes = defaults.recordChanges { defaults.migrate(Self.steps) }
    #expect(
      changes == [
        .set("Counter", 12), .remove("Obsolete"), .set("ShowLineNumbers", true),
        .remove("ShowLines"), .set("StrataMigrations", ["program": 4]),
        .set("Theme", "dark"),
      ])
    defaults.set("LIGHT", forKey: "Theme")
    #expect(defaults.recordChanges { defaults.migrate(Self.steps) } == [])
    #expect(defaults.string(forKey: "Theme") == "LIGHT")
  }

  // W-13
  @Test func `a longer list runs what is new, an older program none, another list its own`() {
    let defaults = UserDefaults.inMemory(["A": 1])
    defaults.migrate([.rename("A", to: "B")])
    defaults.migrate([.rename("A", to: "X"), .rename("B", to: "C")])
    defaults.migrate([.rename("C", to: "Y")])
    #expect(defaults.integer(forKey: "C") == 1)
    defaults.migrate([.rename("C", to: "D")], list: "library")
    #expect(defaults.integer(forKey: "D") == 1)
    #expect(defaults.snapshot()["StrataMigrations"] == ["program": 2, "library": 1])
  }

  // W-13
  @Test func `what is not as a step expects stays as it is`() {
    let defaults = UserDefaults.inMemory(
      ["ShowLines": true, "ShowLineNumbers": false, "Counter": "many", "Theme": 5],
      registered: ["Obsolete": 1])
    defaults.migrate(Self.steps)
    #expect(!defaults.bool(forKey: "ShowLineNumbers"))
    #expect(defaults.bool(forKey: "ShowLines"))
    #expect(defaults.string(forKey: "Counter") == "many" && defaults.integer(forKey: "Theme") == 5)
    #expect(defaults.integer(forKey: "Obsolete") == 1)
  }

  // W-13
  @Test func `a key that is renamed to itself keeps its value`() {
    let defaults = UserDefaults.inMemory(["A": 1, "caf\u{E9}": 2])
    defaults.migrate([.rename("A", to: "A"), .rename("caf\u{E9}", to: "cafe\u{301}")])
    #expect(defaults.integer(forKey: "A") == 1 && defaults.integer(forKey: "caf\u{E9}") == 2)
  }
}
