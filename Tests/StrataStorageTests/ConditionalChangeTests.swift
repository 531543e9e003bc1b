import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Changes that are applied if what was read still holds.
@Suite struct ConditionalChangeTests {
  private let place: Place
  private let store: Store

  init() throws {
    place = try Place()
    store = place.freshStore()
    try store.set(.integer(1), forKey: "a")
  }

  private let changes = ChangeSet([
    Change(key: "b", value: .integer(2)), Change(key: "a", value: nil),
  ])

  // S-5, S-6
  @Test func `changes count all if every value is as expected, and none otherwise`() throws {
    let (held, other) = (Change(key: "a", value: .integer(1)), Change(key: "c", value: nil))
    for wrong in [Change(key: "a", value: .integer(2)), Change(key: "b", value: .integer(1))] {
      #expect(try !store.apply(changes, ifStill: [held, other, wrong]))
      #expect(store.snapshot().values == ["a": .integer(1)])
    }
    #expect(try store.apply(changes, ifStill: [held, other]))
    #expect(store.snapshot().values == ["b": .integer(2)])
    #expect(place.freshStore().snapshot().values == ["b": .integer(2)])
  }

  // W-11, S-24
  @Test(arguments: [1, 1_000])
  func `nothing is changed on the belief that a list is empty that can't be read`(
    count: Int
  ) throws {
    let (machine, paths) = (FaultMachine(), CrashScript.paths)
    let first = machine.process().store(at: paths)
    try first.set(.integer(41), forKey: "a")
    try #require(first.flush())
    var (looks, failing) = (0, 0)
    while looks >= failing {
      (looks, failing) = (0, failing + 1)
      let machine = machine.afterDeath()
      let store = machine.process().store(at: paths)
      machine.quietError = { _, _ in
        looks += 1
        return looks >= failing && looks < failing + count ? EIO : nil
      }
      let old = store.integer(forKey: "a")
      let change = Change(key: "a", value: .integer((old ?? 0) + 1))
      let held = Change(key: "a", value: old.map { .integer($0) })
      let isApplied = try? store.apply(ChangeSet([change]), ifStill: [held])
      machine.quietError = nil
      // After one failure it looks again.
      #expect(count > 1 || isApplied != nil, "look \(failing) of \(looks)")
      for store in [store, machine.process().store(at: paths)] {
        store.table.checkAt = 0  // as if it had not looked for a while
        let expected: Int64 = isApplied == true ? 42 : 41
        try #require(store.integer(forKey: "a") == expected, "look \(failing) of \(looks)")
        #expect(store.synchronize() && store.flush())
      }
    }
    #expect(failing > 10)
  }

  // S-2, S-6
  @Test func `what another process set is what is looked at`() throws {
    let held = Change(key: "a", value: .integer(1))
    try place.freshStore().set(.integer(5), forKey: "a")
    #expect(try !store.apply(changes, ifStill: [held]))
    #expect(store.integer(forKey: "a") == 5 && store.integer(forKey: "b") == nil)
  }

  // S-10
  @Test func `where nothing can be stored, the values of this process are looked at`() throws {
    let machine = FaultMachine()
    machine.makeParents(of: CrashScript.paths.plist)
    machine.error = { _, _, _ in ENOSPC }
    let store = machine.process().store(at: CrashScript.paths)
    try store.set(.integer(1), forKey: "a")
    #expect(try !store.apply(changes, ifStill: [Change(key: "a", value: nil)]))
    #expect(try store.apply(changes, ifStill: [Change(key: "a", value: .integer(1))]))
    #expect(store.snapshot().values == ["b": .integer(2)])
  }
}
