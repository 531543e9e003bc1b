import Glibc
import PropertyListTesting
import StrataPropertyList
import Testing

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
}
