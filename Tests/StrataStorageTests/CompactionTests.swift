import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A journal whose records can't go to the property list.
@Suite struct CompactionTests {
  private let machine = FaultMachine()
  private var paths: StorePaths { CrashScript.paths }

  /// What can't be replaced fails to get its name.
  private func fixPlist() {
    let path = paths.plist
    machine.error = { _, name, _ in name == "rename \(path)" ? EBUSY : nil }
  }

  private var journalSize: Int { machine.names[paths.journal]?.size ?? 0 }

  // S-20
  @Test func `a journal stays within twice what is in it and some when the file can't be replaced`()
    throws
  {
    let (store, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
    try store.set(.integer(0), forKey: "first")
    #expect(store.flush())
    fixPlist()
    for number in 0..<400 {
      let bytes = [UInt8](repeating: UInt8(number & 0xFF), count: 10_000)
      try store.set(.data(bytes), forKey: "key.\(number % 8)")
      try other.set(.integer(Int64(number)), forKey: "number")
      if number % 10 == 9 { store.compact() }
      #expect(journalSize < 700_000)
    }
    for store in [store, other, machine.process().store(at: paths)] {
      #expect(store.snapshot().values.count == 10)
      #expect(store.integer(forKey: "number") == 399)
      #expect(store.integer(forKey: "first") == 0)
    }
    #expect(store.synchronize())
    machine.error = nil
    #expect(store.flush())
    #expect(machine.process().store(at: paths).integer(forKey: "number") == 399)
  }

  // S-20, S-3, S-4
  @Test func `a compaction that dies or is cut off at any operation loses nothing`() throws {
    var generator = SeededGenerator(seed: 1)
    let (store, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
    for number in 0..<40 {
      try store.set(
        .data([UInt8](repeating: UInt8(number), count: 10_000)), forKey: "key.\(number % 3)")
    }
    try store.set(nil, forKey: "key.1")
    try other.apply(ChangeSet([Change(key: "only", value: .integer(1))], replacesAll: true))
    try store.set(.integer(2), forKey: "last")
    #expect(store.synchronize())
    let expected = store.snapshot().values
    let journal = store.journal
    var images = 0
    machine.beforeCall = { call, name in
      images += 1
      for left in [machine.afterDeath(), machine.afterPowerCut(using: &generator)] {
        let found = left.process().store(at: paths).snapshot().values
        #expect(found == expected, "before call \(call): \(name)")
      }
    }
    store.compact()
    machine.beforeCall = nil
    #expect(images > 4)
    #expect(store.journal !== journal && store.journal.map { $0.length < 10_000 } == true)
    #expect(other.snapshot().values == expected)
  }

  // S-20, S-3
  @Test func `a checkpoint that was announced before a compaction is honoured after it`() throws {
    let (store, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
    for number in 0..<40 {
      try store.set(
        .data([UInt8](repeating: UInt8(number), count: 10_000)), forKey: "key.\(number % 3)")
    }
    var compacted = false
    machine.beforeCall = { [paths] _, name in
      guard name == "rename \(paths.plist)", !compacted else { return }
      compacted = true
      do { try other.set(.integer(1), forKey: "late") } catch { Issue.record(error) }
      other.compact()
      #expect(other.journal.map { $0.length < 100_000 } == true)
    }
    _ = store.checkpoint()
    machine.beforeCall = nil
    #expect(compacted)
    for left in [store, other, machine.afterDeath().process().store(at: paths)] {
      #expect(left.snapshot().values.count == 4)
      #expect(left.issues == [])
    }
    #expect(store.flush())
    #expect(machine.process().store(at: paths).snapshot().values.count == 4)
  }

  enum Meanwhile: CaseIterable {
    case compaction, edit
  }

  // S-18, S-20
  @Test(arguments: Meanwhile.allCases)
  func `who waits for a stopped process names it, whatever becomes of the journal`(
    meanwhile: Meanwhile
  ) throws {
    machine.compactionSizeMin = 0
    let store = machine.process().store(at: paths)
    for number in Int64(1)...9 { try store.set(.integer(number), forKey: "a") }
    let edit = try PropertyList.encode(.dictionary(["b": .integer(1)]), as: .binary)
    var others: [Store] = []
    machine.beforeCall = { [machine, paths] _, name in
      guard name == "rename \(paths.plist)", others.isEmpty else { return }
      machine.flushPatience = 1_500_000_000
      for round in 0..<2 {
        let other = machine.process().store(at: paths)
        others.append(other)
        #expect(other.snapshot().values.count >= 1)
        do { try other.set(.integer(10), forKey: "c") } catch { Issue.record(error) }
        #expect(!other.flush())
        #expect(isWaiting(other), "round \(round): \(other.issues)")
        switch meanwhile {
        case .compaction: other.compact()
        case .edit: if round == 0 { machine.edit(paths.plist, edit) }
        }
        other.table.checkAt = 0
        #expect(
          other.snapshot().values["c"] == (round == 0 && meanwhile == .edit ? nil : .integer(10)))
        #expect(isWaiting(other), "it is stopped still")
      }
    }
    _ = store.checkpoint()
    machine.beforeCall = nil
    #expect(others.count == 2)
    for store in [store] + others { #expect(store.flush() && store.issues.isEmpty) }
  }

  // S-18
  @Test func `who was waited for, and finished, is not taken for stopped the next time`() throws {
    fixPlist()
    let (store, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
    try store.set(.integer(1), forKey: "a")
    try other.set(.integer(1), forKey: "b")
    for round in 0..<2 {
      var outcome: CheckpointOutcome?
      machine.beforeCall = { [paths] _, name in
        guard name == "rename \(paths.plist)", outcome == nil else { return }
        outcome = other.checkpoint()
      }
      #expect(store.checkpoint() == .failed)
      machine.beforeCall = nil
      #expect(outcome == .busy)
      #expect(!other.issues.contains { $0.kind == .waiting }, "round \(round)")
      #expect(other.checkpoint() == .failed, "it has its turn, though in vain")
      usleep(1_100_000)
    }
  }

  private func isWaiting(_ store: Store) -> Bool {
    let text = "process \(getpid()) is writing this file and does not finish"
    return store.issues.contains { $0.kind == .waiting && $0.text.hasPrefix(text) }
  }

  // S-20, S-4
  @Test func `a journal that can never be made durable is replaced where the file can't be`() throws
  {
    let store = machine.process().store(at: paths)
    try store.set(.integer(1), forKey: "a")
    let (path, journal) = (paths.plist, try #require(machine.names[paths.journal]).number)
    machine.error = { _, name, _ in
      if name == "rename \(path)" { return EBUSY }
      return name == "sync \(journal)" || name.hasPrefix("sync \(journal) ") ? EIO : nil
    }
    #expect(!store.synchronize())
    #expect(store.synchronize())
    #expect(machine.names[paths.journal]?.number != journal)
    var random = SeededGenerator(seed: 1)
    for _ in 0..<20 {
      let image = machine.afterPowerCut(using: &random)
      #expect(image.process().store(at: paths).integer(forKey: "a") == 1)
    }
  }

  // S-20, S-8
  @Test func `a set after an edit stays newer when a compaction is faster than it`() throws {
    var calls = 0
    var chosen = 0
    repeat {
      let machine = FaultMachine()
      let (store, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
      for number in 0..<40 {
        let bytes = [UInt8](repeating: UInt8(number), count: 10_000)
        try store.set(.data(bytes), forKey: "a")
      }
      try other.set(.integer(1), forKey: "b")
      let edit: [String: PropertyListValue] = ["e": .integer(1)]
      machine.edit(paths.plist, try PropertyList.encode(.dictionary(edit), as: .binary))
      calls = 0
      let pass = {
        calls += 1
        if calls == chosen { other.compact() }
      }
      machine.beforeCall = { _, _ in pass() }
      machine.beforeLook = { _ in pass() }
      try store.set(.integer(2), forKey: "c")
      machine.beforeCall = nil
      machine.beforeLook = nil
      for store in [store, other, machine.process().store(at: paths)] {
        let found = store.snapshot().values
        try #require(found == ["e": .integer(1), "c": .integer(2)], "call \(chosen) of \(calls)")
      }
      chosen += 1
    } while chosen <= calls
    #expect(chosen > 10)
  }

  // S-20, S-3
  @Test func `two that find the journal too large at once both store what they set`() throws {
    let calls = try fillTwice(meetingBefore: 0)
    #expect(calls > 4)
    for call in 1...calls { _ = try fillTwice(meetingBefore: call) }
  }

  /// Whether a value of so many bytes has room, or makes it by having the file grow.
  private func isRoomy(_ journal: Journal, for size: Int) -> Bool {
    journal.length < FaultFile.capacity / 4 || journal.hasRoom(for: size, at: journal.length)
  }

  /// One process sets when the journal is to be compacted; before one of its calls another does.
  /// - Returns: how many calls that could have been.
  private func fillTwice(meetingBefore chosen: Int) throws -> Int {
    let machine = FaultMachine()
    let (store, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
    var number = 0
    repeat {
      number += 1
      let value = PropertyListValue.data([UInt8](repeating: UInt8(number), count: 10_000))
      try store.set(value, forKey: "key.\(number % 8)")
    } while try isRoomy(#require(store.journal), for: 11_000)
    let large = PropertyListValue.data([UInt8](repeating: 2, count: 11_000))
    var calls = 0
    let pass = {
      calls += 1
      guard calls == chosen else { return }
      do { try other.set(large, forKey: "other") } catch { Issue.record(error) }
    }
    machine.beforeCall = { _, _ in pass() }
    machine.beforeLook = { _ in pass() }
    try store.set(large, forKey: "own")
    machine.beforeCall = nil
    machine.beforeLook = nil
    let left = machine.afterDeath().process().store(at: paths).snapshot().values
    let (hasOwn, hasOther) = (left["own"] == large, left["other"] == large)
    try #require(hasOwn && hasOther == (chosen > 0), "call \(chosen)")
    #expect(store.issues == [] && other.issues == [], "call \(chosen)")
    return calls
  }
}
