import StrataPropertyList
import Synchronization
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// What processes set while another one puts a journal in the place of theirs.
@Suite struct CarryingCrashTests {
  private let machine = FaultMachine()

  private func newStore() -> Store { machine.process().store(at: CrashScript.paths) }

  private func set(_ count: Int, from first: Int, in store: Store) throws {
    let text = PropertyListValue.string(String(repeating: "x", count: 1_000))
    for number in first..<first + count { try store.set(text, forKey: "key\(number)") }
  }

  private func replacement(of journal: Journal, _ store: Store) throws -> JournalReplacement {
    try JournalReplacement(
      of: journal, by: SuccessorPlan(of: journal, on: store.plistFile.read(), store.names),
      store.names)
  }

  // S-18, S-3
  @Test func `what others set while a new journal is made is carried over before they must wait`()
    throws
  {
    let (store, other) = (newStore(), newStore())
    try set(10, from: 0, in: store)
    let journal = try #require(store.journal)
    // Others set much at the moment when the new journal's first records are made durable.
    var (isMade, isLate) = (false, false)
    machine.beforeCall = { _, call in
      if call.hasPrefix("create "), call.contains("/next-") { isMade = true }
      if isLate || !isMade || !call.hasPrefix("sync ") { return }
      isLate = true
      do { try self.set(400, from: 10, in: other) } catch { Issue.record(error) }
    }
    let replacement = try replacement(of: journal, store)
    machine.beforeCall = nil
    try #require(isLate)
    var calls: [String] = []
    machine.beforeCall = { _, call in if journal.state.reserved > 0 { calls.append(call) } }
    let new = try store.install(replacement, insteadOf: journal)
    machine.beforeCall = nil
    #expect(calls == [], "others had to wait")
    #expect(new?.carried.count == 410)
    #expect(newStore().snapshot().values.count == 410)
  }

  // S-18, S-3
  @Test func `what others set until a new journal is installed is carried over, too`() throws {
    let (store, other) = (newStore(), newStore())
    try set(10, from: 0, in: store)
    let journal = try #require(store.journal)
    let replacement = try replacement(of: journal, store)
    try set(300, from: 10, in: other)
    let new = try store.install(replacement, insteadOf: journal)
    #expect(new?.carried.count == 310)
    #expect(newStore().snapshot().values.count == 310)
  }
}
