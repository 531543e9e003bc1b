import Glibc
import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A journal that is removed while a process uses it, which brings what it knows to the next one.
@Suite(.serialized) struct LostJournalCrashTests {
  private static let paths = CrashScript.paths

  /// One process has set these, and lost its journal.
  private static func lose(
    after sets: [(String, Int64)]
  ) throws -> (machine: FaultMachine, user: Store) {
    let machine = FaultMachine()
    let user = machine.process().store(at: paths)
    for (key, value) in sets { try user.set(.integer(value), forKey: key) }
    machine.rename([(paths.journal, nil)])
    return (machine, user)
  }

  private static func expect(
    _ expected: [String: PropertyListValue], _ machine: FaultMachine, _ stores: Store...,
    when: String = ""
  ) throws {
    for store in stores + [machine.process().store(at: paths)] {
      let found = store.snapshot().values
      try #require(found == expected, "\(when)")
    }
  }

  // S-3, S-6
  @Test func `what looks like the beginning of the lost one is newer all the same`() throws {
    let (machine, user) = try Self.lose(after: [("k", 1), ("k", 2)])
    let other = machine.process().store(at: Self.paths)
    try other.set(.integer(1), forKey: "k")
    try Self.expect(["k": .integer(1)], machine, user, other)
  }

  // S-3, S-6
  @Test func `what others have emptied stays empty`() throws {
    let (machine, user) = try Self.lose(after: [("k", 1), ("l", 2)])
    let other = machine.process().store(at: Self.paths)
    try other.set(.integer(1), forKey: "k")
    try other.apply(ChangeSet([Change(key: "m", value: .integer(3))], replacesAll: true))
    try Self.expect(["m": .integer(3)], machine, user, other)
  }

  // S-3, S-6, S-7
  @Test func `what another process sets and flushes at any moment of the rescue stays`() throws {
    var calls = 0
    var chosen = 0
    repeat {
      let (machine, user) = try Self.lose(after: [("k", 1)])
      let other = machine.process().store(at: Self.paths)
      calls = 0
      let pass = {
        calls += 1
        guard calls == chosen else { return }
        do {
          try other.set(.integer(5), forKey: "k")
          try other.set(.integer(7), forKey: "z")
        } catch {
          Issue.record(error)
        }
        other.flush()
      }
      machine.beforeCall = { _, _ in pass() }
      machine.beforeLook = { _ in pass() }
      try user.set(.integer(2), forKey: "m")
      machine.beforeCall = nil
      machine.beforeLook = nil
      var expected: [String: PropertyListValue] = ["k": .integer(1), "m": .integer(2)]
      if chosen > 0, chosen <= calls {
        expected["k"] = .integer(5)
        expected["z"] = .integer(7)
      }
      try Self.expect(expected, machine, user, other, when: "call \(chosen) of \(calls)")
      chosen += 1
    } while chosen <= calls
    #expect(chosen > 10)
  }

  // S-3, S-10
  @Test func `what is known is stored once there is room, also when nobody sets again`() throws {
    let (machine, user) = try Self.lose(after: [("k", 1)])
    machine.error = { _, _, _ in ENOSPC }
    #expect(user.integer(forKey: "k") == 1)
    #expect(!user.synchronize() && !user.flush())
    #expect(user.mayHavePending)
    machine.error = nil
    #expect(user.flush())
    try Self.expect(["k": .integer(1)], machine, user)
  }
}
