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

  /// The most bytes that anybody reserved while `body` ran.
  private func reserved(in journal: Journal, _ body: () throws -> Void) rethrows -> Int {
    var most = 0
    machine.beforeCall = { _, _ in most = max(most, journal.state.reserved) }
    defer { machine.beforeCall = nil }
    try body()
    return most
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
    let most = try reserved(in: journal) {
      let new = try store.install(replacement, insteadOf: journal)
      #expect(new?.carried.count == 410)
    }
    #expect(most <= 1 << 16, "\(most) bytes were carried over while others had to wait")
    #expect(newStore().snapshot().values.count == 410)
  }

  // S-18, S-3
  @Test func `others wait the longer, the more is carried over while they wait`() throws {
    let (store, other) = (newStore(), newStore())
    try set(10, from: 0, in: store)
    let journal = try #require(store.journal)
    let known = journal.length
    let replacement = try replacement(of: journal, store)
    try set(300, from: 10, in: other)
    let most = try reserved(in: journal) {
      _ = try store.install(replacement, insteadOf: journal)
    }
    // What is reserved says how long to wait for whoever has reserved it.
    let late = journal.length - known
    let room = try store.disk.status(of: journal.file).size - journal.length
    #expect(most >= 8 && most >= min(late, room), "\(most) of \(late), room for \(room)")
    #expect(newStore().snapshot().values.count == 310)
  }
}
