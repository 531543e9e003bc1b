import Glibc
import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A process that knows a domain, and can't read its property list any more, while another one
/// flushes.
@Suite struct UnreadListTests {
  private let machine = FaultMachine()
  private let user: Store
  private let other: Store

  init() throws {
    let paths = CrashScript.paths
    (user, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
    try user.set(.integer(1), forKey: "a")
    try user.set(.integer(1), forKey: "b")
    try #require(user.flush())
  }

  /// Of two checkpoints a process that looks only then has to read the list: the journal that it
  /// knows says only what was set before the first one.
  private func setAndFlush(_ key: String, _ number: Int64) throws {
    for number in [4, number] {
      try other.set(.integer(number), forKey: key)
      try #require(other.flush())
    }
  }

  private func makeListReadable() {
    machine.quietError = nil
    user.table.checkAt = 0  // as if it had not looked for a while
  }

  private func losesTheList() throws {
    let number = try #require(user.disk as? FaultDisk).process
    machine.quietError = { call, process in process == number && call == .read ? EIO : nil }
    user.table.checkAt = 0
    try #require(user.integer(forKey: "a") != nil && user.plist.obstacle != nil)
  }

  // S-10, S-24
  @Test func `what is known stays in effect while the list can't be read`() throws {
    try setAndFlush("b", 5)
    try losesTheList()
    #expect(user.snapshot().values == ["a": .integer(1), "b": .integer(4)])
    #expect(user.table.cachedValue("a", { $0?.pointee.value }) == nil, "others may know better")
    // What is set, by anyone, counts at once.
    try other.set(.integer(6), forKey: "b")
    #expect(user.integer(forKey: "b") == 6)
    try user.set(nil, forKey: "a")
    #expect(user.integer(forKey: "a") == nil && other.integer(forKey: "a") == nil)
    #expect(user.snapshot().values == ["b": .integer(6)])
    makeListReadable()
    #expect(user.snapshot().values == ["b": .integer(6)])
  }

  // S-24, S-26
  @Test func `what is known of a list that can't be read is not given up for other domains`() throws
  {
    try setAndFlush("b", 5)
    try losesTheList()
    #expect(!user.rest())
    #expect(user.snapshot().values == ["a": .integer(1), "b": .integer(4)])
    makeListReadable()
    #expect(user.snapshot().values == ["a": .integer(1), "b": .integer(5)])
    #expect(user.rest())
    #expect(user.snapshot().values == ["a": .integer(1), "b": .integer(5)])
  }

  // S-3, S-24
  @Test func `what is set is stored although it was the value when the list could be read`() throws
  {
    try setAndFlush("a", 5)
    try losesTheList()
    try user.set(.integer(4), forKey: "a")
    try user.apply(ChangeSet([Change(key: "b", value: .integer(1))]))
    makeListReadable()
    for store in [user, other, machine.afterDeath().process().store(at: CrashScript.paths)] {
      #expect(store.snapshot().values == ["a": .integer(4), "b": .integer(1)])
    }
  }

  // S-6, S-24
  @Test func `nothing is set on condition of a value that is not known for now`() throws {
    try setAndFlush("a", 5)
    try losesTheList()
    let change = ChangeSet([Change(key: "b", value: .integer(2))])
    for value in [PropertyListValue.integer(4), .integer(5), nil] {
      #expect(throws: StorageError.self) {
        try user.apply(change, ifStill: [Change(key: "a", value: value)])
      }
    }
    makeListReadable()
    #expect(try user.apply(change, ifStill: [Change(key: "a", value: .integer(5))]))
  }

  // S-3
  @Test func `what was known of an unread list overrides nothing when the journal is lost`() throws
  {
    try setAndFlush("a", 5)
    try losesTheList()
    machine.remove(CrashScript.paths.journal)
    user.table.checkAt = 0
    #expect(user.integer(forKey: "a") == 4)
    makeListReadable()
    for store in [user, other, machine.afterDeath().process().store(at: CrashScript.paths)] {
      #expect(store.snapshot().values == ["a": .integer(5), "b": .integer(1)])
    }
  }

  // S-3, S-10
  @Test func `a removal counts of what is not known when no journal can be had, too`() throws {
    try setAndFlush("a", 5)
    try losesTheList()
    machine.error = { _, call, _ in call.hasPrefix("create") ? ENOSPC : nil }
    machine.remove(CrashScript.paths.journal)
    user.table.checkAt = 0
    try #require(user.integer(forKey: "a") == 4 && user.loss != nil)
    try user.set(nil, forKey: "a")
    #expect(user.snapshot().values == ["b": .integer(1)])
    machine.error = nil
    makeListReadable()
    #expect(user.synchronize())
    for store in [user, other, machine.afterDeath().process().store(at: CrashScript.paths)] {
      #expect(store.snapshot().values == ["b": .integer(1)])
    }
  }

  // O-3, S-24
  @Test func `nobody is told that a key is gone because the list can't be read`() throws {
    nonisolated(unsafe) var told: [Store.Touch] = []
    // Without a thread that takes each change in as it comes.
    user.lock.withLock { _ = user.watches.add { told += $0 } }
    try setAndFlush("b", 5)
    try losesTheList()
    #expect(user.deliver() == .blind)
    #expect(told.map(\.key) == ["b"] && told.map(\.new) == [.integer(4)])
    makeListReadable()
    #expect(user.deliver() == .settled)
    #expect(told.map(\.key) == ["b", "b"] && told.last?.new == .integer(5))
  }
}
