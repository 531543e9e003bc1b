import StrataPropertyList
import Synchronization
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// What processes do late that were stopped between two steps of appending, or of replacing a
/// journal.
@Suite struct ReservationCrashTests {
  private let machine = FaultMachine()

  private func newStore() -> Store { machine.process().store(at: CrashScript.paths) }

  /// What a process finds that knows nothing yet.
  private func found() -> [String: PropertyListValue] { newStore().snapshot().values }

  // S-18, S-3
  @Test func `a reservation that is given back while others wait voids nothing that comes later`()
    throws
  {
    let store = newStore()
    try store.set(.integer(0), forKey: "a")
    let journal = try #require(store.journal)
    let length = journal.length
    let salt = journal.header.salt
    try #require(journal.reserve(256, at: length))
    // Another process waits, and is stopped right before it loses patience.
    let waiting = journal.state.withWaiters
    journal.word.pointee.store(waiting.rawValue, ordering: .sequentiallyConsistent)
    journal.release(256, at: length)
    _ = journal.atomic32(length).pointee.compareExchange(
      expected: 0, desired: JournalMark.void(size: 256, salt: salt),
      ordering: .sequentiallyConsistent)
    let expected = Dictionary(
      uniqueKeysWithValues: (0..<20).map { ("k\($0)", PropertyListValue.integer($0)) })
    for (key, value) in expected.sorted(by: { $0.key < $1.key }) {
      try store.set(value, forKey: key)
    }
    #expect(found() == expected.merging(["a": .integer(0)]) { $1 })
    #expect(store.issues == [])
  }

  // S-18, S-3
  @Test func `a journal gets its name once, however late somebody gives it that`() throws {
    let slow = newStore()
    try slow.set(.integer(1), forKey: "a")
    let old = try #require(slow.journal)
    let quick = newStore()
    _ = quick.snapshot()
    #expect(quick.flush())
    try quick.set(.integer(2), forKey: "b")
    let number = old.successor.pointee.load(ordering: .acquiring)
    try #require(number != 0)
    // One process makes another journal to continue the old one, of whose end it does not know yet;
    // a second one found the old one in its place, and went to sleep before the next step.
    let header = JournalHeader(on: .absent, nil, boot: slow.disk.bootID())
    let replacement = try JournalReplacement(
      of: old, by: SuccessorPlan(header: header, start: nil), slow.names)
    try newStore().names.give(
      to: JournalDraft.path(CrashScript.paths.draftStem(continuing: old.header.id), number))
    #expect(found() == ["a": .integer(1), "b": .integer(2)])
    try replacement.discard()
  }

  // S-18, S-7
  @Test func `where a process died between two journals a flush goes on`() throws {
    let store = newStore()
    try store.set(.integer(1), forKey: "a")
    let journal = try #require(store.journal)
    try #require(journal.retire(at: journal.length))
    #expect(store.flush(), "\(store.issues)")
    #expect(machine.afterRestart().names[CrashScript.paths.plist] != nil)
    #expect(found() == ["a": .integer(1)])
  }

  // S-11
  @Test func `a word that no process can have written makes no record`() throws {
    for length in [0, 8, 4096, 1 << 28, 1 << 29 - 8] {
      for reserved in [0, 8, 4096, 1 << 28 - 8] {
        let word = JournalWord(length: length, reserved: reserved, hasWaiters: true)
        for bits in [word.rawValue, word.rawValue ^ 1 << 60, word.rawValue | 2] {
          let machine = FaultMachine()
          let store = machine.process().store(at: CrashScript.paths)
          try store.set(.integer(1), forKey: "a")
          try #require(store.journal).word.pointee.store(bits, ordering: .sequentiallyConsistent)
          try store.set(.integer(2), forKey: "b")
          let expected: [String: PropertyListValue] = ["a": .integer(1), "b": .integer(2)]
          #expect(store.snapshot().values == expected, "\(String(bits, radix: 16))")
          let other = machine.process().store(at: CrashScript.paths)
          #expect(other.snapshot().values == expected, "\(String(bits, radix: 16)), new process")
        }
      }
    }
  }

  // S-18, S-6
  @Test func `in a journal that is full to the last byte nothing behind it is touched`() throws {
    let store = newStore()
    try store.set(.integer(0), forKey: "a")
    let journal = try #require(store.journal)
    let reading = store.plistFile.read()
    let replacement = try JournalReplacement(
      of: journal, by: SuccessorPlan(of: journal, on: reading, store.names), store.names)
    try fill(journal, of: store)
    var wasReserved: [JournalWord] = []
    machine.beforeCall = { _, _ in
      if journal.length + journal.state.reserved > journal.knownSize {
        wasReserved.append(journal.state)
      }
    }
    let new = try store.install(replacement, insteadOf: journal)
    machine.beforeCall = nil
    #expect(new?.carried.count == 2)
    #expect(wasReserved == [])
  }

  /// Sets a value that leaves no byte of the file.
  private func fill(_ journal: Journal, of store: Store) throws {
    let left = journal.knownSize - journal.length
    for count in stride(from: left, to: left - 100, by: -1) {
      let changes = ChangeSet([
        Change(key: "b", value: .data([UInt8](repeating: 1, count: count)))
      ])
      if JournalRecord.size(payload: RecordWriter.size(of: changes)) == left {
        try store.apply(changes)
        break
      }
    }
    try #require(journal.length == journal.knownSize)
  }
}
