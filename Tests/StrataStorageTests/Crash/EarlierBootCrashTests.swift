import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Journals from before a restart of the machine, in which nothing is pending: a read takes them as
/// they are, and a set replaces them.
@Suite struct EarlierBootCrashTests {
  private let paths = CrashScript.paths

  private func store(on machine: FaultMachine) -> Store { machine.process().store(at: paths) }

  /// A machine on which all that was set is in the list.
  private func makeFlushed() throws -> FaultMachine {
    let machine = FaultMachine()
    let store = store(on: machine)
    try store.set(.integer(1), forKey: "a")
    try #require(store.flush() && store.journal?.holdsNothing == true)
    return machine
  }

  // S-13
  @Test(arguments: [true, false])
  func `who only reads does not ask for the boot where nothing is pending`(
    isAfterRestart: Bool
  ) throws {
    let before = try makeFlushed()
    let machine = isAfterRestart ? before.afterRestart() : before.afterDeath()
    let journal = try #require(machine.names[paths.journal])
    var looks = 0
    machine.beforeBootID = { looks += 1 }
    let store = store(on: machine)
    for _ in 0..<3 { #expect(store.integer(forKey: "a") == 1) }
    #expect(looks == 0 && machine.names[paths.journal] === journal)
    try store.set(.integer(2), forKey: "b")
    #expect(looks > 0 && (machine.names[paths.journal] === journal) == !isAfterRestart)
  }

  // S-2, S-3, S-4, S-17
  @Test(arguments: [true, false], [true, false])
  func `what is set after a restart is seen, and survives the next one`(
    isSynchronized: Bool, isReader: Bool
  ) throws {
    let machine = try makeFlushed().afterRestart()
    let (reader, writer) = (store(on: machine), store(on: machine))
    #expect(reader.integer(forKey: "a") == 1)
    if isReader { #expect(writer.integer(forKey: "a") == 1) }
    for number in Int64(2)...4 {
      try writer.set(.integer(number), forKey: "a")
      #expect(reader.integer(forKey: "a") == number)
      try reader.set(.integer(number), forKey: "b")
      #expect(writer.integer(forKey: "b") == number)
    }
    if isSynchronized { try #require(writer.synchronize()) }
    let expected: [String: PropertyListValue] = ["a": .integer(4), "b": .integer(4)]
    #expect(machine.afterDeath().process().store(at: paths).snapshot().values == expected)
    #expect(store(on: machine.afterRestart()).snapshot().values == expected)
    guard isSynchronized else { return }
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<50 {
      let later = machine.afterPowerCut(using: &generator)
      #expect(store(on: later).snapshot().values == expected)
    }
  }

  // S-4, S-17
  @Test func `records that are durable count though the length on the disk is older`() throws {
    let machine = try makeFlushed()
    let empty = try #require(machine.names[paths.journal]).bytes
    let writer = store(on: machine)
    try writer.set(.integer(2), forKey: "a")
    try #require(writer.synchronize())
    var bytes = try #require(machine.names[paths.journal]).bytes
    let word = JournalLayout.word..<JournalLayout.word + 8
    bytes.replaceSubrange(word, with: empty[word])
    machine.edit(paths.journal, bytes)
    let later = machine.afterRestart()
    #expect(store(on: later).integer(forKey: "a") == 2)
    #expect(store(on: later.afterRestart()).integer(forKey: "a") == 2)
  }

  // S-3, S-10
  @Test func `what can't be stored after a restart is kept until it can be`() throws {
    let machine = try makeFlushed().afterRestart()
    let store = store(on: machine)
    #expect(store.integer(forKey: "a") == 1)
    machine.error = { _, call, _ in call.hasPrefix("create") ? ENOSPC : nil }
    try store.set(.integer(2), forKey: "a")
    #expect(store.integer(forKey: "a") == 2 && !store.synchronize())
    machine.error = nil
    #expect(store.synchronize())
    #expect(self.store(on: machine.afterRestart()).integer(forKey: "a") == 2)
  }
}
