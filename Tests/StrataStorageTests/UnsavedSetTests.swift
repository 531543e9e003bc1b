import Glibc
import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Sets that can't be stored yet, beside other processes that can store theirs.
@Suite struct UnsavedSetTests {
  // S-1, S-10
  @Test func `what can't be stored yet stays in effect whatever others set meanwhile`() throws {
    let (machine, paths) = (FaultMachine(), CrashScript.paths)
    let (store, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
    try other.set(.integer(1), forKey: "a")
    let number = try #require(store.disk as? FaultDisk).process
    machine.error = { _, call, process in
      process == number && call.hasPrefix("extend") ? ENOSPC : nil
    }
    // For which the journal must grow.
    let large = PropertyListValue.data([UInt8](repeating: 1, count: 20_000))
    try store.set(large, forKey: "a")
    try #require(store.issues.contains { $0.kind == .notStored })
    try other.set(.integer(2), forKey: "a")
    try other.set(.integer(3), forKey: "b")
    #expect(store.snapshot().values == ["a": large, "b": .integer(3)])
    machine.error = nil
    #expect(store.synchronize())
    for store in [store, other, machine.afterDeath().process().store(at: paths)] {
      #expect(store.snapshot().values == ["a": large, "b": .integer(3)])
    }
  }

  // S-10
  @Test(arguments: [ENOSPC, EDQUOT])
  func `on a disk that is nearly full a journal grows by what is needed`(code: Int32) throws {
    let (machine, paths) = (FaultMachine(), CrashScript.paths)
    let store = machine.process().store(at: paths)
    try store.set(.integer(1), forKey: "a")
    var refusals = 0
    machine.error = { _, call, _ in
      guard call.hasPrefix("extend"), refusals == 0 else { return nil }
      refusals += 1
      return code
    }
    try store.set(.data([UInt8](repeating: 1, count: 20_000)), forKey: "b")
    #expect(refusals == 1 && store.issues.isEmpty)
    let size = try #require(machine.names[paths.journal]).size
    #expect(size < JournalLayout.growthMin && size > 20_000)
    #expect(machine.afterDeath().process().store(at: paths).snapshot().values.count == 2)
  }

  // S-3, S-26
  @Test func `what was in a journal that is gone is not given back with the files`() throws {
    let (machine, paths) = (FaultMachine(), CrashScript.paths)
    let store = machine.process().store(at: paths)
    try store.set(.integer(1), forKey: "a")
    try #require(store.flush())
    try store.set(.integer(2), forKey: "b")
    let expected: [String: PropertyListValue] = ["a": .integer(1), "b": .integer(2)]
    // No other one can be had.
    machine.error = { _, call, _ in call.hasPrefix("create") ? ENOSPC : nil }
    machine.remove(paths.journal)
    store.table.checkAt = 0  // as if it had not looked for a while
    try #require(store.snapshot().values == expected && store.loss != nil)
    #expect(!store.rest())
    #expect(store.snapshot().values == expected)
    machine.error = nil
    #expect(store.synchronize())
    #expect(machine.afterDeath().process().store(at: paths).snapshot().values == expected)
  }

  // S-3, S-10
  @Test func `what was in a journal that is gone stays in effect where it has no room`() throws {
    let (machine, paths) = (FaultMachine(), CrashScript.paths)
    let (store, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
    let large = PropertyListValue.data([UInt8](repeating: 1, count: 20_000))
    try store.set(large, forKey: "a")
    machine.remove(paths.journal)
    try other.set(.integer(2), forKey: "b")
    let number = try #require(store.disk as? FaultDisk).process
    machine.error = { _, call, process in
      process == number && call.hasPrefix("extend") ? ENOSPC : nil
    }
    store.table.checkAt = 0  // as if it had not looked for a while
    #expect(store.value(forKey: "a") == large)
    try #require(store.loss != nil)
    machine.error = nil
    #expect(store.synchronize())
    for store in [store, other, machine.afterDeath().process().store(at: paths)] {
      #expect(store.snapshot().values == ["a": large, "b": .integer(2)])
    }
  }

  // S-3, S-24
  @Test(arguments: [false, true])
  func `a removal counts though the list can't be read at that moment`(
    isChangeSet: Bool
  ) throws {
    let machine = FaultMachine()
    let first = machine.process().store(at: CrashScript.paths)
    for key in ["a", "b"] { try first.set(.integer(1), forKey: key) }
    try #require(first.flush())
    var (looks, chosen) = (0, 0)
    while looks >= chosen {
      (looks, chosen) = (0, chosen + 1)
      let machine = machine.afterDeath()
      let store = machine.process().store(at: CrashScript.paths)
      machine.quietError = { _, _ in
        looks += 1
        return looks == chosen ? EIO : nil
      }
      if isChangeSet {
        try store.apply(ChangeSet([Change(key: "a", value: nil)]))
      } else {
        try store.set(nil, forKey: "a")
      }
      machine.quietError = nil
      #expect(store.value(forKey: "a") == nil, "look \(chosen)")
      store.table.checkAt = 0  // as if it had not looked for a while
      let expected: [String: PropertyListValue] = ["b": .integer(1)]
      #expect(store.snapshot().values == expected, "look \(chosen)")
      #expect(store.synchronize(), "look \(chosen)")
      let newcomer = machine.afterDeath().process().store(at: CrashScript.paths)
      #expect(newcomer.snapshot().values == expected, "look \(chosen)")
    }
    #expect(chosen > 10)
  }
}
