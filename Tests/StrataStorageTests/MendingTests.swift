import Glibc
import StrataPropertyList
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

  /// Another process sets. If it lived on, it would bring what it set to the next journal.
  /// - Returns: whether it could store that.
  private func setAndDie(on machine: FaultMachine) throws -> Bool {
    let other = machine.process().store(at: CrashScript.paths)
    try other.set(.integer(2), forKey: "b")
    return !other.issues.contains { $0.kind == .notStored }
  }
}
