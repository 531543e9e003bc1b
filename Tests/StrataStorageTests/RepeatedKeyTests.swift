import Glibc
import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Change sets that edit one key more than once.
@Suite struct RepeatedKeyTests {
  private static let edits: [Change] = [
    Change(key: "caf\u{E9}", value: nil), Change(key: "cafe\u{301}", value: .integer(1)),
    Change(key: "caf\u{E9}", value: .integer(2)), Change(key: "other", value: .integer(1)),
  ]

  /// All change sets of up to three of these edits, in any order.
  private static var changeSets: [ChangeSet] {
    var lists: [[Change]] = [[]]
    for _ in 0..<3 { lists += lists.flatMap { list in edits.map { list + [$0] } } }
    return Set(lists).flatMap { [ChangeSet($0), ChangeSet($0, replacesAll: true)] }
  }

  private let before: [String: PropertyListValue] = ["caf\u{E9}": .integer(1), "k": .integer(1)]

  private func wanted(_ changes: ChangeSet) -> [String: PropertyListValue] {
    changes.changes.reduce(into: changes.replacesAll ? [:] : before) { $0[$1.key] = $1.value }
  }

  // S-5
  @Test func `of several edits of one key the last counts, in every process and after a flush`()
    throws
  {
    for changes in Self.changeSets {
      let machine = FaultMachine()
      machine.makeParents(of: CrashScript.paths.plist)
      let store = machine.process().store(at: CrashScript.paths)
      let other = machine.process().store(at: CrashScript.paths)
      for (key, value) in before { try store.set(value, forKey: key) }
      try store.apply(changes)
      #expect(store.snapshot().values == wanted(changes), "\(changes)")
      #expect(other.snapshot().values == wanted(changes), "\(changes)")
      #expect(store.flush())
      let next = machine.process().store(at: CrashScript.paths)
      #expect(next.snapshot().values == wanted(changes), "\(changes)")
    }
  }

  // S-5
  @Test func `edits that leave a key as it was are not written`() throws {
    let machine = FaultMachine()
    machine.makeParents(of: CrashScript.paths.plist)
    let store = machine.process().store(at: CrashScript.paths)
    try store.set(.integer(1), forKey: "k")
    let length = store.table.applied
    try store.apply(
      ChangeSet([Change(key: "k", value: nil), Change(key: "k", value: .integer(1))]))
    #expect(store.table.applied == length)
  }

  // S-5, S-10
  @Test func `the last counts in memory, too, and where nothing can be stored`() throws {
    for changes in Self.changeSets {
      let memory = MemoryStore(before)
      memory.apply(changes)
      #expect(memory.snapshot().values == wanted(changes), "\(changes)")
      let machine = FaultMachine()
      machine.makeParents(of: CrashScript.paths.plist)
      machine.error = { _, _, _ in ENOSPC }
      let store = machine.process().store(at: CrashScript.paths)
      for (key, value) in before { try store.set(value, forKey: key) }
      try store.apply(changes)
      #expect(store.snapshot().values == wanted(changes), "\(changes)")
    }
  }
}
