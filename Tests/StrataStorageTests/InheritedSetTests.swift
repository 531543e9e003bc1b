import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// What a process could not store before it forked, and its child has, too.
@Suite struct InheritedSetTests {
  private let machine = FaultMachine()
  private let paths = CrashScript.paths
  private let isFull = Guarded(true)

  /// What others do after the fork.
  enum Event: CaseIterable {
    /// The parent can store its value, and stores another one after it.
    case parentStores
    case otherSets
    case otherSetsElse
    case otherFlushes
    case edit
  }

  enum Moment: CaseIterable { case beforeFirstLook, afterFirstLook, whileThereIsRoom }

  // For which the journal must grow.
  private static let large = PropertyListValue.data([UInt8](repeating: 1, count: 20_000))

  /// The child of a process that could not store its change of `a`.
  /// - Parameter canCreate: whether it can make files, which can't grow.
  private func makeChild(
    hasJournal: Bool, replacesAll: Bool = false, canCreate: Bool = false
  ) throws -> Store {
    if hasJournal {
      let first = machine.process().store(at: paths)
      try first.set(.integer(0), forKey: "a")
      try #require(first.flush())
    }
    let store = machine.process().store(at: paths)
    #expect(store.value(forKey: "a") == (hasJournal ? .integer(0) : nil))
    let number = try #require(store.disk as? FaultDisk).process
    machine.error = { [isFull] _, call, process in
      let isRefused = call.hasPrefix("extend") || call.hasPrefix("create") && !canCreate
      return process == number && isRefused && isFull.withLock { $0 } ? ENOSPC : nil
    }
    let change = Change(key: "a", value: Self.large)
    try store.apply(ChangeSet([change], replacesAll: replacesAll))
    try #require(store.issues.contains { $0.kind == .notStored })
    store.forks &-= 1  // as a child of `fork` finds it
    return store
  }

  private func happen(_ event: Event) throws {
    let other = machine.process().store(at: paths)
    if event == .parentStores { try other.set(Self.large, forKey: "a") }
    switch event {
    case .edit: machine.edit(paths.plist, Array("a = 2;".utf8))
    case .otherSetsElse: try other.set(.integer(2), forKey: "b")
    case .parentStores, .otherSets, .otherFlushes: try other.set(.integer(2), forKey: "a")
    }
    if event == .otherFlushes { try #require(other.flush()) }
  }

  // S-1, S-14
  @Test(arguments: Event.allCases, Moment.allCases)
  func `what a parent could not store is not stored over what others stored since`(
    event: Event, moment: Moment
  ) throws {
    for (hasJournal, replacesAll) in [(true, false), (false, false), (true, true)] {
      let tests = InheritedSetTests()
      let child = try tests.makeChild(hasJournal: hasJournal, replacesAll: replacesAll)
      if moment == .afterFirstLook { #expect(child.value(forKey: "a") == Self.large) }
      if moment == .whileThereIsRoom { tests.isFull.withLock { $0 = false } }
      try tests.happen(event)
      child.table.checkAt = 0  // as if it had not looked for a while
      let expected: [String: PropertyListValue] =
        switch event {
        case .edit: ["a": .string("2")]
        case .otherSetsElse: hasJournal ? ["a": .integer(0), "b": .integer(2)] : ["b": .integer(2)]
        case .parentStores, .otherSets, .otherFlushes: ["a": .integer(2)]
        }
      #expect(child.snapshot().values == expected)
      tests.isFull.withLock { $0 = false }
      #expect(child.synchronize())
      for store in [child, tests.machine.afterDeath().process().store(at: tests.paths)] {
        #expect(store.snapshot().values == expected, "\(hasJournal) \(replacesAll)")
      }
    }
  }

  // S-10, S-14
  @Test(arguments: [true, false], [true, false])
  func `what a parent could not store is stored by its child if nobody came before it`(
    hasJournal: Bool, isFirstLook: Bool
  ) throws {
    let child = try makeChild(hasJournal: hasJournal)
    if !isFirstLook { #expect(child.value(forKey: "a") == Self.large) }
    isFull.withLock { $0 = false }
    #expect(child.value(forKey: "a") == Self.large && child.synchronize())
    let next = machine.afterDeath().process().store(at: paths)
    #expect(next.snapshot().values == ["a": Self.large])
  }

  // S-1, S-14
  @Test(arguments: [true, false])
  func `what a child sets itself is stored whatever others stored since`(
    isFirst: Bool
  ) throws {
    let child = try makeChild(hasJournal: true)
    let next = PropertyListValue.data([UInt8](repeating: 2, count: 20_000))
    if !isFirst { try happen(.otherSets) }
    try child.set(next, forKey: "a")
    try child.set(next, forKey: "c")
    if isFirst { try happen(.otherSets) }
    #expect(child.snapshot().values == ["a": next, "c": next])
    isFull.withLock { $0 = false }
    #expect(child.synchronize())
    let later = machine.afterDeath().process().store(at: paths)
    #expect(later.snapshot().values == ["a": next, "c": next])
  }

  // -- What is otherwise known of the files at that moment

  private func expectNewer(than child: Store) throws {
    isFull.withLock { $0 = false }
    #expect(child.synchronize())
    for store in [child, machine.afterDeath().process().store(at: paths)] {
      #expect(store.integer(forKey: "a") == 2)
    }
  }

  // S-10, S-14, S-18
  @Test func `a journal that was retired without a successor is followed`() throws {
    let child = try makeChild(hasJournal: true)
    let other = machine.process().store(at: paths)
    #expect(other.snapshot().values["a"] == .integer(0))
    let journal = try #require(other.journal)
    try journal.leaveIdleness()
    try #require(journal.retire(at: journal.length))
    isFull.withLock { $0 = false }
    #expect(child.value(forKey: "a") == Self.large && child.synchronize())
    #expect(machine.afterDeath().process().store(at: paths).value(forKey: "a") == Self.large)
  }

  // S-1, S-14, S-24
  @Test(arguments: [FaultMachine.QuietCall.read, .open, .status])
  func `a list that can't be read at that moment hides nothing that was stored`(
    call: FaultMachine.QuietCall
  ) throws {
    let child = try makeChild(hasJournal: true)
    try happen(.parentStores)
    isFull.withLock { $0 = false }
    machine.pathError = { [paths] other, path in
      other == call && path == paths.plist ? EIO : nil
    }
    _ = child.snapshot()
    machine.pathError = nil
    try expectNewer(than: child)
  }

  // S-1, S-14
  @Test func `what comes while the child replaces the journal is newer, too`() throws {
    machine.compactionSizeMin = 0
    let other = machine.process().store(at: paths)
    for number in Int64(0)..<8 { try other.set(.integer(number), forKey: "b") }
    let child = try makeChild(hasJournal: false, canCreate: true)
    child.table.checkAt = 0  // as if it had not looked for a while
    #expect(child.value(forKey: "a") == Self.large)
    var isSet = false
    machine.beforeCall = { [machine] _, call in
      guard call.hasPrefix("create") else { return }
      machine.beforeCall = nil
      do { try other.set(.integer(2), forKey: "a") } catch { Issue.record(error) }
      isSet = true
    }
    child.compact()
    try #require(isSet)
    try expectNewer(than: child)
  }

  // S-1, S-14
  @Test func `a set that stores what is left finds out first that it is outdated`() throws {
    let child = try makeChild(hasJournal: true)
    child.table.checkAt = 0  // as if it had not looked for a while
    #expect(child.value(forKey: "a") == Self.large)
    try happen(.otherSets)
    isFull.withLock { $0 = false }
    child.lock.withLock { child.flushSchedule.retryNow() }  // as if a while had passed
    try child.set(.integer(5), forKey: "c")
    try expectNewer(than: child)
    #expect(child.integer(forKey: "c") == 5)
  }

  // S-1, S-3, S-14
  @Test func `what was stored in a journal that is gone since is newer, too`() throws {
    let child = try makeChild(hasJournal: true)
    try happen(.parentStores)
    isFull.withLock { $0 = false }
    machine.remove(paths.journal)
    _ = child.snapshot()
    try expectNewer(than: child)
  }
}
