import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// What `synchronize` may promise beside errors.
@Suite struct SynchronizingTests {
  private let machine = FaultMachine()
  private let paths = CrashScript.paths

  // S-4, S-10
  @Test func `what the disk refused once is durable when it is said to be`() throws {
    let store = machine.process().store(at: paths)
    try store.set(.integer(1), forKey: "a")
    try #require(store.flush())
    try store.set(.integer(2), forKey: "b")
    machine.error = { _, call, _ in call.hasPrefix("sync") ? EIO : nil }
    #expect(!store.synchronize())
    machine.error = nil
    #expect(store.synchronize())
    for seed in UInt64(0)..<20 {
      var generator = SeededGenerator(seed: seed)
      let left = machine.afterPowerCut(using: &generator)
      let found = left.process().store(at: paths).snapshot().values
      #expect(found == ["a": .integer(1), "b": .integer(2)], "seed \(seed)")
    }
  }

  // S-4, S-10
  @Test(arguments: [EIO, EACCES, EMFILE])
  func `nobody says that a journal is durable that can't be opened`(code: Int32) throws {
    let (store, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
    try other.set(.integer(1), forKey: "a")
    let number = try #require(store.disk as? FaultDisk).process
    machine.quietError = { call, process in process == number && call == .open ? code : nil }
    #expect(!store.synchronize())
    #expect(other.synchronize())
  }

  // S-4, S-10, S-17
  @Test func `what is durable survives sets before its journal can be replaced after a cut`()
    throws
  {
    let store = machine.process().store(at: paths)
    for value in Int64(0)...1 {
      try store.set(.integer(value), forKey: "a")
      #expect(store.synchronize())
    }
    let length = try #require(store.journal).length
    var olderWords = 0
    for seed in UInt64(0)..<40 {
      var generator = SeededGenerator(seed: seed)
      let left = machine.afterPowerCut(using: &generator)
      left.error = { _, call, _ in call.hasPrefix("create") ? ENOSPC : nil }
      let next = left.process().store(at: paths)
      #expect(next.integer(forKey: "a") == 1, "seed \(seed)")
      // The word on the disk may be older than the records.
      if try #require(next.journal).length < length { olderWords += 1 }
      try next.set(.integer(2), forKey: "b")
      left.error = nil
      #expect(next.synchronize(), "seed \(seed)")
      let found = left.afterDeath().process().store(at: paths).snapshot().values
      #expect(found == ["a": .integer(1), "b": .integer(2)], "seed \(seed)")
    }
    #expect(olderWords > 0)
  }
}
