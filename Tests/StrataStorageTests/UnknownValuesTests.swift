import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// What is stored, but not known: its journal can't be opened, or it can't be told whether its
/// files count.
@Suite struct UnknownValuesTests {
  private let machine = FaultMachine()
  private let paths = CrashScript.paths

  /// A process that uses a domain for the first time, and can't open its journal: that sets `a`.
  private func makeStoreWithoutJournal() throws -> Store {
    try machine.process().store(at: paths).set(.integer(1), forKey: "a")
    let store = machine.process().store(at: paths)
    let number = try #require(store.disk as? FaultDisk).process
    machine.quietError = { call, process in process == number && call == .open ? EMFILE : nil }
    #expect(store.snapshot().values.isEmpty)
    return store
  }

  private func lookAgain(_ store: Store) {
    machine.quietError = nil
    store.table.checkAt = 0  // as if it had not looked for a while
  }

  // S-6, C-9
  @Test func `nothing is set on condition of a value while the journal can't be opened`() throws {
    let store = try makeStoreWithoutJournal()
    let change = ChangeSet([Change(key: "b", value: .integer(2))])
    #expect(throws: StorageError.self) {
      try store.apply(change, ifStill: [Change(key: "a", value: nil)])
    }
    #expect(try store.apply(change, ifStill: []), "what has no condition is kept")
    let next = ChangeSet([Change(key: "b", value: .integer(3))])
    #expect(
      try store.apply(next, ifStill: [Change(key: "b", value: .integer(2))]),
      "what was set here is newer than what is stored")
    lookAgain(store)
    #expect(try !store.apply(change, ifStill: [Change(key: "a", value: nil)]))
    #expect(try store.apply(change, ifStill: [Change(key: "a", value: .integer(1))]))
    #expect(store.snapshot().values == ["a": .integer(1), "b": .integer(2)])
  }

  // S-10, C-31
  @Test func `who asks for all that is stored is told that the journal can't be opened`() throws {
    let store = try makeStoreWithoutJournal()
    #expect(throws: StorageError.self) { try store.wholeSnapshot() }
    #expect(throws: StorageError.self) { try store.knownValues(forKeys: ["a"]) }
    lookAgain(store)
    #expect(try store.wholeSnapshot().values == ["a": .integer(1)])
    #expect(try store.knownValues(forKeys: ["a"]) == [.integer(1)])
  }

  // S-1, S-10, C-31
  @Test(arguments: [FaultMachine.QuietCall.open, .map])
  func `a journal that was refused for a moment is read at the next look`(
    call: FaultMachine.QuietCall
  ) throws {
    try machine.process().store(at: paths).set(.integer(1), forKey: "a")
    let (looking, asking) = (machine.process().store(at: paths), machine.process().store(at: paths))
    machine.pathError = { [paths] other, path in
      other == call && path == paths.journal ? SystemCode.denied : nil
    }
    #expect(looking.snapshot().values.isEmpty)
    #expect(throws: StorageError.self) { try asking.knownValues(forKeys: ["a"]) }
    machine.pathError = nil
    #expect(try asking.knownValues(forKeys: ["a"]) == [.integer(1)])
    lookAgain(looking)
    #expect(looking.snapshot().values == ["a": .integer(1)])
  }

  // S-10, C-31
  @Test func `who asks for all that is stored is told that the list can't be read`() throws {
    let first = machine.process().store(at: paths)
    try first.set(.integer(1), forKey: "a")
    try #require(first.flush())
    try first.set(.integer(1), forKey: "b")
    let store = machine.process().store(at: paths)
    machine.quietError = { call, _ in call == .read ? EIO : nil }
    #expect(store.snapshot().values == ["b": .integer(1)])
    #expect(throws: StorageError.self) { try store.wholeSnapshot() }
    #expect(throws: StorageError.self) { try store.knownValues(forKeys: ["a"]) }
    #expect(try store.knownValues(forKeys: ["b"]) == [.integer(1)])
    lookAgain(store)
    #expect(try store.wholeSnapshot().values == ["a": .integer(1), "b": .integer(1)])
  }

  // -- An administrator's files

  private let distrust = Guarded<Result<String?, StorageError>>(.success(nil))

  private func makeTrustingStore() throws -> Store {
    let first = machine.process().store(at: paths)
    try first.set(.integer(1), forKey: "a")
    try #require(first.flush())
    try first.set(.integer(1), forKey: "b")
    return trustingStore(at: paths)
  }

  private func trustingStore(at paths: StorePaths) -> Store {
    machine.process().store(
      at: paths,
      rules: StoreRules(distrust: { [distrust] () throws(StorageError) in
        try distrust.withLock { $0 }.get()
      }))
  }

  private static let failure = StorageError(.status, "/etc/defaults/managed", code: EIO)

  // D-10, S-24, O-3
  @Test(arguments: [true, false])
  func `values stay in effect while it can't be told whether their file counts`(
    isEdited: Bool
  ) throws {
    let store = try makeTrustingStore()
    let values: [String: PropertyListValue] = ["a": .integer(1), "b": .integer(1)]
    try #require(store.snapshot().values == values)
    nonisolated(unsafe) var told: [Store.Touch] = []
    store.lock.withLock { _ = store.watches.add { told += $0 } }
    distrust.withLock { $0 = .failure(Self.failure) }
    if isEdited { machine.edit(paths.plist, Array("a = 2;".utf8)) }
    for _ in 0..<3 {
      store.hint.raise()
      store.table.checkAt = 0
      #expect(store.snapshot().values == values && store.integer(forKey: "a") == 1)
      #expect(store.issues.map(\.kind) == [.unreadable])
    }
    store.deliver()
    #expect(told.isEmpty)
    distrust.withLock { $0 = .success(nil) }
    store.table.checkAt = 0  // nobody changes the file
    #expect(store.snapshot().values == (isEdited ? ["a": .string("2")] : values))
    #expect(store.issues.isEmpty)
    distrust.withLock { $0 = .success("anyone may write it") }
    store.hint.raise()
    store.table.checkAt = 0
    #expect(store.snapshot().values.isEmpty && store.issues.map(\.kind) == [.notTrusted])
  }

  // D-10, D-27, O-6
  @Test func `a file that was ignored counts once nobody else can write it`() throws {
    _ = try makeTrustingStore()
    let paths = StorePaths(
      identifier: "com.example.crash", in: Path.directory(of: paths.plist), for: .everyone)
    let (store, listening) = (trustingStore(at: paths), trustingStore(at: paths))
    store.process.useKernelEvents()
    distrust.withLock { $0 = .success("anyone may write it") }
    nonisolated(unsafe) var told: [Store.Touch] = []
    for _ in 0..<2 {
      store.table.checkAt = 0  // as if it had not looked for a while
      #expect(store.snapshot().values.isEmpty && store.issues.map(\.kind) == [.notTrusted])
    }
    try #require(store.isSubscribed && !store.hint.isRaised)
    listening.lock.withLock { _ = listening.watches.add { told += $0 } }
    #expect(listening.deliver() == .blind && told.isEmpty)
    distrust.withLock { $0 = .success(nil) }  // of which the kernel tells nothing
    store.table.checkAt = 0
    #expect(store.snapshot().values == ["a": .integer(1), "b": .integer(1)])
    #expect(store.issues.isEmpty)
    #expect(listening.deliver() == .settled && told.map(\.key) == ["a", "b"])
  }

  // D-10, S-24
  @Test func `who can't tell at first whether a file counts looks again`() throws {
    let store = try makeTrustingStore()
    distrust.withLock { $0 = .failure(Self.failure) }
    #expect(store.snapshot().values.isEmpty && store.issues.map(\.kind) == [.unreadable])
    #expect(throws: StorageError.self) { try store.wholeSnapshot() }
    try store.set(.integer(3), forKey: "c")
    #expect(!store.synchronize() && store.integer(forKey: "c") == 3)
    distrust.withLock { $0 = .success(nil) }
    store.table.checkAt = 0  // nobody changes the file
    #expect(store.integer(forKey: "a") == 1 && store.integer(forKey: "b") == 1)
    #expect(store.synchronize() && store.issues.isEmpty)
  }
}
