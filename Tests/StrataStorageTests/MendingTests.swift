import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Several processes that find a journal that can't be used, and mend it at once.
@Suite(.serialized) struct MendingTests {
  // S-3, S-6, S-9, S-19
  @Test(arguments: [FaultMachine.Kind.ordinary, .plainNames], [false, true])
  func `what is set while another process mends the journal stays`(
    kind: FaultMachine.Kind, isEmptied: Bool
  ) throws {
    let paths = CrashScript.paths
    var moment = 0
    var storedCount = 0
    var isOver = false
    while !isOver {
      moment += 1
      let machine = FaultMachine(kind)
      try machine.process().store(at: paths).set(.integer(1), forKey: "a")
      if isEmptied {
        machine.editInPlace(paths.journal, [UInt8](repeating: 0, count: JournalLayout.initialSize))
      } else {
        machine.damage(paths.journal, at: 20)  // one byte of the head
      }
      let store = machine.process().store(at: paths)
      var moments = 0
      var isStored = false
      let pass = {
        moments += 1
        guard moments == moment else { return }
        do { isStored = try setAndDie(on: machine) } catch { Issue.record(error) }
      }
      machine.beforeLook = { _ in pass() }
      machine.beforeCall = { _, _ in pass() }
      try store.set(.integer(3), forKey: "c")
      (machine.beforeLook, machine.beforeCall) = (nil, nil)
      isOver = moments < moment
      // While the other one has the lock, a set lives in memory.
      try #require(isOver || isStored || kind == .plainNames, "moment \(moment)")
      storedCount += isStored ? 1 : 0
      var expected: [String: PropertyListValue] = ["c": .integer(3)]
      if !isEmptied { expected["a"] = .integer(1) }
      if isStored { expected["b"] = .integer(2) }
      store.table.checkAt = 0  // as if it had not looked for a while
      for store in [store, machine.afterDeath().process().store(at: paths)] {
        try #require(store.snapshot().values == expected, "moment \(moment)")
      }
    }
    #expect(storedCount > 10)
  }

  // S-1, S-3, S-6, S-9
  @Test(arguments: [FaultMachine.Kind.ordinary, .plainNames], [1, 2, 3, 5, 8, 13, 1_000])
  func `who sets while another one mends the journal that both know loses nothing`(
    kind: FaultMachine.Kind, period: Int
  ) throws {
    let paths = CrashScript.paths
    var start = 0
    var isOver = false
    while !isOver {
      start += 1
      let machine = FaultMachine(kind)
      machine.settlingTime = 1_000_000_000_000
      let (user, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
      try user.set(.integer(1), forKey: "a")
      try other.set(.integer(1), forKey: "b")
      try #require(user.integer(forKey: "b") == 1)
      machine.editInPlace(paths.journal, [UInt8](repeating: 0, count: JournalLayout.initialSize))
      var (calls, number, isActing): (Int, Int64, Bool) = (0, 0, false)
      var faults: [String] = []
      let act = {
        if isActing { return }
        calls += 1
        guard calls >= start, (calls - start).isMultiple(of: period) else { return }
        isActing = true
        defer { isActing = false }
        number += 1
        do { try user.set(.integer(number), forKey: "x") } catch { faults.append("\(error)") }
        let found = user.integer(forKey: "x")
        if found != number { faults.append("\(found ?? 0) instead of \(number) at call \(calls)") }
      }
      machine.beforeLook = { _ in act() }
      machine.beforeCall = { _, _ in act() }
      try other.set(.integer(3), forKey: "c")
      (machine.beforeLook, machine.beforeCall) = (nil, nil)
      isOver = calls < start
      try #require(faults.isEmpty, "from call \(start) on: \(faults)")
      var expected: [String: PropertyListValue] = [
        "a": .integer(1), "b": .integer(1), "c": .integer(3),
      ]
      if number > 0 { expected["x"] = .integer(number) }
      for store in [user, other, user, machine.process().store(at: paths)] {
        store.table.checkAt = 0  // as if it had not looked for a while
        try #require(store.snapshot().values == expected, "from call \(start) on")
      }
    }
  }

  // S-1, S-3, S-6, S-9
  @Test(arguments: [FaultMachine.Kind.ordinary, .plainNames], [true, false])
  func `those who mend a journal at the same time lose nothing that they know`(
    kind: FaultMachine.Kind, isEmptied: Bool
  ) throws {
    let paths = CrashScript.paths
    for seed in 0..<150 {
      let machine = FaultMachine(kind)
      machine.settlingTime = 1_000_000_000_000
      machine.mendingPatience = 600_000_000_000  // nobody is stopped here, only slow
      let users = [machine.process().store(at: paths), machine.process().store(at: paths)]
      for (index, user) in users.enumerated() { try user.set(.integer(0), forKey: "k\(index)") }
      for user in users { try #require(user.snapshot().values.count == 2) }
      if isEmptied {
        machine.editInPlace(paths.journal, [UInt8](repeating: 0, count: JournalLayout.initialSize))
      } else {
        machine.editInPlace(
          paths.journal, (0..<JournalLayout.initialSize).map { UInt8(truncatingIfNeeded: $0 * 7) })
      }
      let turns = Turns(of: users.count, seed: UInt64(seed))
      machine.beforeLook = { _ in turns.mayPass() }
      machine.beforeCall = { _, _ in turns.mayPass() }
      for (index, user) in users.enumerated() {
        #expect(
          Thread.start {
            turns.begin(index)
            for number in Int64(1)...4 {
              do { try user.set(.integer(number), forKey: "k\(index)") } catch {
                turns.note("\(error)")
              }
              let found = user.integer(forKey: "k\(index)")
              if found != number { turns.note("\(index) reads \(found ?? -1), not \(number)") }
            }
            turns.end(index)
          })
      }
      turns.wait()
      (machine.beforeLook, machine.beforeCall) = (nil, nil)
      try #require(turns.faults.isEmpty, "seed \(seed): \(turns.faults)")
      for store in users + [users[0], machine.process().store(at: paths)] {
        store.table.checkAt = 0  // as if it had not looked for a while
        let found = store.snapshot().values
        try #require(found == ["k0": .integer(4), "k1": .integer(4)], "seed \(seed)")
      }
    }
  }

  /// Another process sets. If it lived on, it would bring what it set to the next journal.
  /// - Returns: whether it could store that.
  private func setAndDie(on machine: FaultMachine) throws -> Bool {
    let other = machine.process().store(at: CrashScript.paths)
    try other.set(.integer(2), forKey: "b")
    return !other.issues.contains { $0.kind == .notStored }
  }
}
