import Foundation
import StrataDomains
import StrataPropertyList
import Synchronization
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// One key in the domains of the whole search list, set and removed from all sides.
@Suite struct EffectiveChangeTests {
  private let fixture: DefaultsFixture
  private var defaults: UserDefaults { fixture.defaults }

  private static let managed = "system/managed/com.example.app.plist"
  private static let recommended = "system/recommended/com.example.app.plist"
  private static let own = ".config/defaults/com.example.app.plist"
  private static let suite = ".config/defaults/com.example.suite.plist"
  private static let global = ".config/defaults/.GlobalPreferences.plist"

  init() throws { fixture = try DefaultsFixture() }

  /// What an observer heard.
  private final class Ear: Sendable {
    private let heard = Mutex<[Int?]>([])
    var values: [Int?] { heard.withLock { $0 } }
    func hear(_ change: UserDefaults.KeyChange<Int>) { heard.withLock { $0.append(change.new) } }
  }

  /// Gives a file these values as an editor does; without any, it is removed.
  private func edit(_ file: String, _ values: [String: PropertyListValue]) throws {
    let path = fixture.directory + "/" + file
    if values.isEmpty { return try FileManager.default.removeItem(atPath: path) }
    try DefaultsFixture.write(values, to: path + ".edited")
    guard rename(path + ".edited", path) == 0 else { throw POSIXError(.EIO) }
  }

  /// Does one thing, and waits until a change of another key of the same file was told: then all
  /// that there is to tell of `a` was told.
  private func heard(
    by ear: Ear, of act: (_ mark: Int64) throws -> Void, _ mark: Int64
  ) throws -> [Int?] {
    let before = ear.values.count
    let marked = Gate("mark \(mark)")
    let token = defaults.observe("mark") { (change: UserDefaults.KeyChange<Int>) in
      if change.new.map(Int64.init) == mark { marked.open() }
    }
    try act(mark)
    marked.wait()
    token.cancel()
    return Array(ear.values[before...])
  }

  // O-3, O-6
  @Test func `a change in any domain is told exactly when the effective value is another`() throws {
    let ear = Ear()
    let token = defaults.observe("a", change: ear.hear)
    let steps: [(told: [Int?], act: (Int64) throws -> Void)] = [
      ([1], { try edit(Self.global, ["a": .integer(1), "mark": .integer($0)]) }),
      (
        [2],
        {
          try edit(Self.suite, ["a": .integer(2), "mark": .integer($0)])
          defaults.addSuite(named: "com.example.suite")
        }
      ),
      // The mark of a domain is seen only while none above it has one.
      (
        [3],
        {
          defaults.set(3, forKey: "a"); defaults.set($0, forKey: "mark")
        }
      ),
      (
        [],
        {
          try edit(Self.global, ["a": .integer(10), "b": .integer($0)])
          try edit(Self.suite, ["a": .integer(20), "b": .integer($0)])
          defaults.set($0, forKey: "mark")
        }
      ),
      ([4], { try edit(Self.managed, ["a": .integer(4), "mark": .integer($0)]) }),
      (
        [],
        {
          defaults.set(5, forKey: "a")
          defaults.register(defaults: ["a": 21])
          defaults.setVolatileDomain(["a": 6], forName: UserDefaults.argumentDomain)
          try edit(Self.managed, ["a": .integer(4), "mark": .integer($0)])
        }
      ),
      ([6], { try edit(Self.managed, ["mark": .integer($0)]) }),
      (
        [5],
        {
          defaults.removeVolatileDomain(forName: UserDefaults.argumentDomain)
          try edit(Self.managed, ["mark": .integer($0)])
        }
      ),
      ([], { try edit(Self.managed, ["a": .integer(5), "mark": .integer($0)]) }),
      (
        [],
        {
          defaults.set($0, forKey: "mark")
          try edit(Self.managed, [:])
        }
      ),
      (
        [20],
        {
          fixture.flush()
          try edit(Self.suite, ["a": .integer(20), "mark": .integer($0)])
          try edit(Self.own, [:])
        }
      ),
      ([10], { try edit(Self.suite, ["mark": .integer($0)]) }),
      (
        [30],
        {
          try edit(Self.recommended, ["a": .integer(30), "mark": .integer($0)])
          try edit(Self.global, ["b": .integer(1)])
          try edit(Self.suite, ["b": .integer(1)])
        }
      ),
      (
        [21],
        {
          defaults.register(defaults: ["mark": $0])
          try edit(Self.recommended, [:])
        }
      ),
    ]
    for (number, step) in steps.enumerated() {
      let told = try heard(by: ear, of: step.act, Int64(number + 1))
      #expect(told == step.told, "step \(number + 1)")
    }
    token.cancel()
  }
}
