import Glibc
import PropertyListTesting
import StrataPropertyList
import Testing

@testable import StrataStorage

/// A journal that can't be used is replaced by what its records still hold.
@Suite(.serialized) struct DamagedJournalCrashTests {
  private static let paths = CrashScript.paths
  private static let values: [String: PropertyListValue] = ["a": .integer(1), "b": .string("two")]

  /// A machine with a journal whose head is damaged, and whose records are sound.
  private static func machine() throws -> FaultMachine {
    let machine = FaultMachine()
    let store = machine.process().store(at: paths)
    for (key, value) in values { try store.set(value, forKey: key) }
    #expect(store.synchronize())
    let file = try #require(machine.names[paths.journal])
    var bytes = file.bytes
    bytes[20] ^= 0xFF
    file.setContents(bytes)
    return machine.afterDeath()
  }

  // S-21, S-9
  @Test func `a damaged journal keeps its place until what it held is durable elsewhere`() throws {
    var generator = SeededGenerator(seed: 7)
    let machine = try Self.machine()
    var images = 0
    var complaint: String?
    machine.beforeCall = { call, name in
      images += 1
      for left in [machine.afterDeath(), machine.afterPowerCut(using: &generator)] {
        let found = left.process().store(at: Self.paths).snapshot().values
        if found != Self.values {
          complaint = complaint ?? "before call \(call), \(name): \(found)"
        }
      }
    }
    let store = machine.process().store(at: Self.paths)
    #expect(store.snapshot().values == Self.values)
    machine.beforeCall = nil
    #expect(complaint == nil)
    #expect(images > 4)
    let kept = try #require(store.issues.compactMap(\.keptAt).first)
    #expect(machine.names[kept] != nil)
  }

  // S-21, S-10
  @Test func `on a full disk a damaged journal stays where it is`() throws {
    let machine = try Self.machine()
    let before = try #require(machine.names[Self.paths.journal])
    machine.error = { _, _, _ in ENOSPC }
    let store = machine.process().store(at: Self.paths)
    try store.set(.integer(3), forKey: "c")
    #expect(!store.synchronize())
    #expect(machine.names[Self.paths.journal] === before)
    machine.error = nil
    #expect(store.synchronize())
    var expected = Self.values
    expected["c"] = .integer(3)
    let left = machine.afterDeath().process().store(at: Self.paths)
    #expect(left.snapshot().values == expected)
  }
}
