import Foundation
import StrataDomains
import StrataPropertyList
import StrataTesting
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

  /// What one observer of both keys heard.
  private final class Ear: Sendable {
    private let heard = Guarded<[Int?]>([])
    private let marks = DispatchSemaphore(value: 0)
    private let mark = Guarded<Int?>(nil)

    func hear(_ change: Observer.Change) {
      if change.old[0] != change.new[0] { heard.withLock { $0.append(number(change.new[0])) } }
      mark.withLock { $0 = number(change.new[1]) }
      marks.signal()
    }

    private func number(_ value: PropertyListValue?) -> Int? { value.map { $0.integerValue } }

    /// Waits until the second key is `mark` and these values were heard of the first one.
    /// - Returns: what was heard of it since the last time.
    func values(until mark: Int, _ expected: [Int?]) -> [Int?] {
      while self.mark.withLock({ $0 }) != mark || heard.withLock({ $0 }) != expected {
        if marks.wait(timeout: .now() + 600) == .timedOut { break }
      }
      return heard.withLock { values in
        defer { values.removeAll() }
        return values
      }
    }
  }

  /// Gives a file these values as an editor does; without any, it is removed.
  private func edit(_ file: String, _ values: [String: PropertyListValue]) throws {
    let path = fixture.directory + "/" + file
    if values.isEmpty { return try FileManager.default.removeItem(atPath: path) }
    try DefaultsFixture.write(values, to: path + ".edited")
    guard rename(path + ".edited", path) == 0 else { throw POSIXError(.EIO) }
  }

  // O-3, O-6
  @Test func `a change in any domain is told exactly when the effective value is another`() throws {
    let ear = Ear()
    let observer = Observer(["a", "mark"], ear.hear)
    defaults.stack.add(observer)
    for (number, step) in (stepsUp + stepsDown).enumerated() {
      try step.act(Int64(number + 1))
      #expect(ear.values(until: number + 1, step.told) == step.told, "step \(number + 1)")
    }
    defaults.stack.remove(observer)
  }

  /// What must be heard of each step, and the step, which ends by setting the mark.
  private typealias Steps = [(told: [Int?], act: (_ mark: Int64) throws -> Void)]

  /// One domain above the other gets a value, and what it hides another one.
  private var stepsUp: Steps {
    [
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
    ]
  }

  /// One after the other loses it.
  private var stepsDown: Steps {
    [
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
  }
}
