import StrataPropertyList
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

  /// So many records go on into the new journal, and nobody has to wait for any call of the disk.
  private func expect(
    _ count: Int, carriedBy replacement: JournalReplacement, from journal: Journal, in store: Store
  ) throws {
    // Whoever has the turn reserves only what it knows the file to have.
    try #require(journal.size(upTo: journal.length + 8) == journal.length + 8)
    var calls: [String] = []
    machine.beforeCall = { _, call in if journal.state.reserved > 0 { calls.append(call) } }
    defer { machine.beforeCall = nil }
    let new = try store.install(replacement, insteadOf: journal)
    #expect(calls == [], "others had to wait")
    #expect(new?.carried.count == count)
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
    try expect(410, carriedBy: replacement, from: journal, in: store)
    #expect(newStore().snapshot().values.count == 410)
  }

  // S-18, S-3
  @Test func `what others set until a new journal is installed is carried over, too`() throws {
    let (store, other) = (newStore(), newStore())
    try set(10, from: 0, in: store)
    let journal = try #require(store.journal)
    let replacement = try replacement(of: journal, store)
    try set(300, from: 10, in: other)
    try expect(310, carriedBy: replacement, from: journal, in: store)
    #expect(newStore().snapshot().values.count == 310)
  }
}
