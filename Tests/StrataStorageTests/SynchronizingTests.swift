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

  /// A store that has set a value, and another one that has put a new journal in place since.
  private func storeBeforeAnotherJournal() throws -> (Store, other: Store) {
    machine.compactionSizeMin = 0
    let (store, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
    for number in Int64(1)...9 { try other.set(.integer(number), forKey: "a") }
    try store.set(.integer(1), forKey: "b")
    other.compact()
    return (store, other)
  }

  enum Turn: CaseIterable {
    case flusher, noThread, exit, waiting
  }

  // S-4, S-18
  @Test(arguments: Turn.allCases)
  func `what is set while another process writes the list is durable sooner`(turn: Turn) throws {
    var random = SeededGenerator(seed: 1)
    let (store, process) = (machine.process().store(at: paths), machine.process())
    let other = process.store(at: paths)
    try store.set(.integer(1), forKey: "a")
    machine.flushPatience = 0
    var isStopped = false
    machine.beforeCall = { [machine, paths] _, name in
      guard name == "rename \(paths.plist)", !isStopped else { return }
      isStopped = true
      for number in Int64(1)...3 {
        do { try other.set(.integer(number), forKey: "b") } catch { Issue.record(error) }
        switch turn {
        case .flusher: _ = other.tick(now: number * 20_000_000_000)
        case .noThread: other.flushWithoutThread()
        case .exit: process.flushAll()
        case .waiting:
          machine.flushPatience = 600_000_000
          other.flush()
          machine.flushPatience = 0
        }
        for _ in 0..<8 {
          let left = machine.afterPowerCut(using: &random)
          #expect(left.process().store(at: paths).integer(forKey: "b") == number)
        }
      }
    }
    #expect(store.checkpoint() == .done)
    machine.beforeCall = nil
    #expect(isStopped)
  }

  // S-4, S-18
  @Test func `no flusher waits for a stopped process, nor a set without one for long`() throws {
    var random = SeededGenerator(seed: 1)
    let (store, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
    try store.set(.integer(1), forKey: "a")
    let patience: Int64 = 20_000_000_000
    machine.flushPatience = patience
    var isStopped = false
    machine.beforeCall = { [machine, paths] _, name in
      guard name == "rename \(paths.plist)", !isStopped else { return }
      isStopped = true
      do { try other.set(.integer(2), forKey: "b") } catch { Issue.record(error) }
      machine.error = { _, call, _ in call.hasPrefix("sync") ? EIO : nil }
      _ = other.tick(now: 0)
      machine.error = nil
      #expect(other.journal?.hasFailed == true)
      let start = monotonicSeconds()
      _ = other.tick(now: patience)
      other.flushWithoutThread()
      #expect(monotonicSeconds() - start < Double(patience) / 1e9)
      let left = machine.afterPowerCut(using: &random)
      #expect(left.process().store(at: paths).integer(forKey: "b") == 2)
    }
    _ = store.checkpoint()
    machine.beforeCall = nil
    #expect(isStopped)
  }

  // S-7
  @Test func `the first flush of a process writes what one that died has left`() throws {
    for afterRestart in [false, true] {
      let machine = FaultMachine()
      let store = machine.process().store(at: paths)
      try store.set(.integer(1), forKey: "a")
      #expect(store.synchronize())
      let left = afterRestart ? machine.afterRestart() : machine.afterDeath()
      #expect(left.process().store(at: paths).flush())
      let bytes = try #require(left.names[paths.plist]).durable
      #expect(try PropertyList.decode(bytes).value == .dictionary(["a": .integer(1)]))
    }
  }

  // S-7, S-10
  @Test func `what is set where writing is refused for a while is in the list after that`() throws {
    let (store, _) = try storeBeforeAnotherJournal()
    machine.refuseWriting(paths.journal)
    for second in Int64(0)..<3 {
      #expect(store.tick(now: second * 1_000_000_000), "there is more to do")
    }
    try #require(store.journal?.isWritable == false)
    #expect(!store.flush())
    #expect(store.issues.contains { $0.kind == .notStored && $0.path == paths.journal })
    machine.writingError = nil
    // The next attempt waits, but not for so long.
    for _ in 0..<2 { _ = store.tick(now: .max / 2) }
    #expect(store.issues.isEmpty)
    let bytes = try #require(machine.names[paths.plist]).durable
    #expect(
      try PropertyList.decode(bytes).value == .dictionary(["a": .integer(9), "b": .integer(1)]))
  }

  // S-7, S-10
  @Test func `a flush does not say that all is stored while the next journal can't be opened`()
    throws
  {
    let (store, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
    try store.set(.integer(1), forKey: "a")
    try #require(store.flush() && !store.isPending)
    // The other one puts a journal based on the edit in the place of the empty one.
    machine.edit(paths.plist, try foreignList(["a": 2]))
    try other.set(.integer(3), forKey: "b")
    machine.pathError = { call, path in call == .open && path.hasSuffix(".journal") ? EMFILE : nil }
    #expect(!store.flush())
    machine.pathError = nil
    #expect(store.flush())
    #expect(store.snapshot().values == ["a": .integer(2), "b": .integer(3)])
  }

  // S-4
  @Test func `who may only read looks at no file again to say what others have stored`() throws {
    let (store, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
    try other.set(.integer(1), forKey: "a")
    var attempts = 0
    machine.writingError = { [paths] path, _ in
      guard path == paths.journal else { return nil }
      attempts += 1
      return EACCES
    }
    #expect(store.integer(forKey: "a") == 1)
    try #require(attempts > 0 && store.journal?.isWritable == false)
    let before = attempts
    for _ in 0..<2 { #expect(store.synchronize() && store.flush()) }
    #expect(attempts == before)
  }

  // S-4, S-10
  @Test(arguments: [false, true])
  func `who has set nothing that is pending and may no longer write answers as who only reads`(
    hasSet: Bool
  ) throws {
    let (store, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
    machine.compactionSizeMin = 0
    if hasSet {
      try store.set(.integer(0), forKey: "a")
      try #require(store.flush() && store.flush())
    }
    for number in Int64(1)...9 { try other.set(.integer(number), forKey: "a") }
    #expect(store.integer(forKey: "a") == 9)
    try #require(store.journal?.isWritable == true)
    other.compact()
    machine.refuseWriting(paths.journal)
    #expect(store.integer(forKey: "a") == 9 && store.journal?.isWritable == false)
    #expect(store.flush() && store.synchronize() && store.issues.isEmpty)
    // What could not be made durable for a moment is said no more once it is.
    machine.error = { _, call, _ in call.hasPrefix("sync") ? EIO : nil }
    #expect(!store.synchronize() && store.issues.count == 1)
    machine.error = nil
    #expect(store.synchronize() && store.issues.isEmpty)
  }

  // S-7, S-10
  @Test(arguments: [EACCES, EROFS, EPERM])
  func `who can't write any more completes no checkpoint of another process`(code: Int32) throws {
    let (store, other) = try storeBeforeAnotherJournal()
    machine.refuseWriting(paths.journal, code)
    #expect(store.integer(forKey: "a") == 9 && store.journal?.isWritable == false)
    // The other one dies when its list has the name, and its next journal has not.
    machine.error = { [machine, paths] _, call, _ in
      machine.names[paths.plist] != nil && call.hasPrefix("create") ? EIO : nil
    }
    try #require(other.checkpoint() == .done)
    machine.error = nil
    try #require(other.plistFile.read().identity == other.journal?.intent?.identity)
    #expect(!store.flush())
    let issue = try #require(store.issues.last { $0.kind == .notStored })
    #expect(issue.path == paths.journal)
    #expect(issue.text.contains("give this user permission") == (code == EACCES))
    machine.writingError = nil
    #expect(store.flush() && store.issues.isEmpty)
    #expect(store.snapshot().values == ["a": .integer(9), "b": .integer(1)])
  }

  // S-3, S-10
  @Test func `what is set in a journal that is then read-only outlives its removal`() throws {
    let (store, _) = try storeBeforeAnotherJournal()
    machine.refuseWriting(paths.journal)
    #expect(store.integer(forKey: "a") == 9 && store.journal?.isWritable == false)
    machine.writingError = nil
    machine.remove(paths.journal)
    store.table.checkAt = 0  // as if it had not looked for a while
    #expect(store.snapshot().values == ["a": .integer(9), "b": .integer(1)])
    #expect(store.flush())
    let found = machine.afterDeath().process().store(at: paths).snapshot().values
    #expect(found == ["a": .integer(9), "b": .integer(1)])
  }

  // S-7, S-10
  @Test func `a flush is false while a journal may not even be read`() throws {
    let store = machine.process().store(at: paths)
    try store.set(.integer(1), forKey: "a")
    try #require(store.rest())
    machine.pathError = { [paths] call, path in
      call == .open && path == paths.journal ? EACCES : nil
    }
    #expect(!store.flush() && !store.synchronize())
    #expect(store.tick(now: 0), "there is more to do")
    machine.pathError = nil
    #expect(store.flush())
    #expect(store.snapshot().values == ["a": .integer(1)])
    #expect(machine.names[paths.plist] != nil)
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
