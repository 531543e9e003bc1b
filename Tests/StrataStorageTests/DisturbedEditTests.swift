import Glibc
import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Edits that can't be taken in at once, and edits in the middle of other work.
@Suite struct DisturbedEditTests {
  private let machine = FaultMachine()
  private let paths = CrashScript.paths
  private static let edit: [String: PropertyListValue] = ["e": .integer(1)]

  private func list(_ values: [String: PropertyListValue]) throws -> [UInt8] {
    try PropertyList.encode(.dictionary(values), as: .binary)
  }

  private func newcomer(on machine: FaultMachine) -> [String: PropertyListValue] {
    machine.afterDeath().process().store(at: paths).snapshot().values
  }

  /// A store with something pending, whose file is edited while no new journal can be made.
  private func storeWithoutRoomForEdit() throws -> Store {
    let store = machine.process().store(at: paths)
    try store.set(.integer(1), forKey: "a")
    try #require(store.flush())
    try store.set(.integer(2), forKey: "b")
    machine.error = { _, call, _ in call.hasPrefix("create") ? ENOSPC : nil }
    machine.edit(paths.plist, try list(Self.edit))
    return store
  }

  // S-8, S-10
  @Test func `a set after an edit that can't be taken in yet stays newer than that`() throws {
    let store = try storeWithoutRoomForEdit()
    try store.set(.integer(3), forKey: "c")
    let expected = Self.edit.merging(["c": .integer(3)]) { $1 }
    #expect(store.snapshot().values == expected)
    #expect(store.issues.contains { $0.kind == .notStored })
    machine.error = nil
    #expect(store.synchronize())
    #expect(store.snapshot().values == expected)
    #expect(newcomer(on: machine) == expected)
  }

  // S-8, S-10
  @Test func `an edit that could not be taken in is taken in by the next checkpoint`() throws {
    let store = try storeWithoutRoomForEdit()
    store.table.checkAt = 0  // as if it had not looked for a while
    #expect(store.snapshot().values == Self.edit)
    #expect(store.checkpoint() != .done)
    machine.error = nil
    #expect(store.checkpoint() == .done)
    #expect(!store.mayHavePending)
    #expect(store.snapshot().values == Self.edit)
    #expect(newcomer(on: machine) == Self.edit)
  }

  // S-8, S-24
  @Test func `an edit that could not be read at first is seen by who had read the file before it`()
    throws
  {
    let reader = machine.process().store(at: paths)
    try reader.set(.integer(1), forKey: "a")
    try #require(reader.flush())
    try reader.set(.integer(2), forKey: "a")
    machine.edit(paths.plist, try list(Self.edit), isElsewhere: true)
    reader.table.checkAt = .max  // it looks at no file, and learns all from the journal
    let store = machine.process().store(at: paths)
    let number = try #require(store.disk as? FaultDisk).process
    machine.quietError = { call, process in process == number && call == .read ? EIO : nil }
    _ = store.snapshot()
    machine.quietError = nil
    try #require(store.journal?.header.base == .unknown)
    #expect(reader.integer(forKey: "a") == 2)  // goes on with that journal
    try #require(reader.journal?.header.base == .unknown)
    try store.set(.integer(3), forKey: "c")
    let expected = Self.edit.merging(["c": .integer(3)]) { $1 }
    #expect(store.snapshot().values == expected)
    #expect(reader.snapshot().values == expected)
    #expect(newcomer(on: machine) == expected)
  }

  // S-8, S-24
  @Test func `an edit that could not be read at first survives a checkpoint that takes its name`()
    throws
  {
    let bytes = try list(Self.edit)
    let expected = Self.edit.merging(["c": .integer(3)]) { $1 }
    var (looks, failing) = (0, 0)
    while looks >= failing {
      (looks, failing) = (0, failing + 1)
      let machine = FaultMachine()
      let writer = machine.process().store(at: paths)
      try writer.set(.integer(1), forKey: "a")
      try #require(writer.flush())
      try writer.set(.integer(2), forKey: "b")
      let store = machine.process().store(at: paths)
      _ = store.snapshot()
      var isEdited = false
      var left: FaultMachine?
      machine.beforeCall = { [paths] _, name in
        if isEdited, left == nil { left = machine.afterDeath() }
        guard !isEdited, name == "rename \(paths.plist)" else { return }
        machine.edit(paths.plist, bytes)
        machine.quietError = { _, _ in
          looks += 1
          return looks == failing ? EIO : nil
        }
        do { try store.set(.integer(3), forKey: "c") } catch { Issue.record(error) }
        machine.quietError = nil
        store.table.checkAt = 0  // as if it had not looked for a while
        #expect(store.synchronize() && store.snapshot().values == expected, "look \(failing)")
        isEdited = true
      }
      _ = writer.checkpoint()
      machine.beforeCall = nil
      let found = newcomer(on: try #require(left))
      try #require(found == expected, "look \(failing) of \(looks)")
      for next in [store, writer] {
        next.table.checkAt = 0
        try #require(next.snapshot().values == expected, "look \(failing)")
        try #require(next.flush(), "look \(failing)")
      }
      try #require(newcomer(on: machine) == expected, "look \(failing)")
    }
    #expect(failing > 10)
  }

  // S-8, S-19
  @Test func `an edit while the file is written stays where names can't be traded`() throws {
    let machine = FaultMachine(.plainNames)
    let store = machine.process().store(at: paths)
    try store.set(.integer(1), forKey: "a")
    try #require(store.flush())
    try store.set(.integer(2), forKey: "b")
    let bytes = try list(Self.edit)
    var isEdited = false
    machine.beforeCall = { [paths] _, name in
      guard name.hasPrefix("sync"), !isEdited else { return }
      isEdited = true
      machine.edit(paths.plist, bytes)
    }
    _ = store.checkpoint()
    machine.beforeCall = nil
    #expect(isEdited)
    #expect(store.flush())
    #expect(store.snapshot().values == Self.edit)
    #expect(newcomer(on: machine) == Self.edit)
  }

  // S-3, S-9, S-17
  @Test func `what is pending over a damaged file counts over the sound one that comes back`()
    throws
  {
    let store = machine.process().store(at: paths)
    try store.set(.integer(1), forKey: "a")
    try #require(store.flush())
    let sound = try #require(machine.names[paths.plist]).bytes
    try store.set(.integer(2), forKey: "b")
    machine.damage(paths.plist, at: sound.count / 2)
    let restarted = machine.afterRestart()
    let next = restarted.process().store(at: paths)
    #expect(next.integer(forKey: "b") == 2)
    restarted.edit(paths.plist, sound)
    let expected: [String: PropertyListValue] = ["a": .integer(1), "b": .integer(2)]
    #expect(newcomer(on: restarted) == expected)
    #expect(next.snapshot().values == expected)
  }

  // S-8, S-18
  @Test func `an edit at any moment of completing what another began is seen by all`() throws {
    let bytes = try list(Self.edit)
    var moment = 0
    var isOver = false
    while !isOver {
      moment += 1
      let machine = FaultMachine()
      let store = machine.process().store(at: paths)
      try store.set(.integer(1), forKey: "a")
      try #require(store.flush())
      try store.set(.integer(2), forKey: "b")
      try retire(on: machine)
      isOver = try set(in: store, on: machine, editing: bytes, atLook: moment) < moment
      let found = store.snapshot().values
      try #require(isOver || found["e"] == .integer(1) && found["a"] == nil, "look \(moment)")
      try #require(newcomer(on: machine) == found, "look \(moment)")
    }
    #expect(moment > 10)
  }

  // S-8, S-3
  @Test func `such an edit survives a checkpoint that takes its name and dies`() throws {
    let bytes = try list(Self.edit)
    var moment = 0
    var isOver = false
    while !isOver {
      moment += 1
      let machine = FaultMachine()
      let writer = machine.process().store(at: paths)
      try writer.set(.integer(1), forKey: "a")
      try #require(writer.flush())
      try writer.set(.integer(2), forKey: "b")
      var looks = 0
      var expected: [String: PropertyListValue]?
      var left: FaultMachine?
      machine.beforeCall = { [paths] _, name in
        if expected != nil, left == nil { left = machine.afterDeath() }
        guard expected == nil, name == "rename \(paths.plist)" else { return }
        let own = machine.beforeCall
        do {
          (expected, looks) = try complete(on: machine, editing: bytes, atLook: moment)
        } catch {
          expected = [:]
          Issue.record(error)
        }
        machine.beforeCall = own
      }
      _ = writer.checkpoint()
      machine.beforeCall = nil
      isOver = looks < moment
      let found = newcomer(on: try #require(left))
      try #require(isOver || found == expected, "look \(moment)")
    }
    #expect(moment > 10)
  }

  /// Has one process begin to replace the journal, and another one complete that and set, while the
  /// file is edited.
  /// - Returns: what the other one then finds, and how often it looked.
  private func complete(
    on machine: FaultMachine, editing bytes: [UInt8], atLook moment: Int
  ) throws -> ([String: PropertyListValue], Int) {
    machine.beforeCall = nil
    let store = machine.process().store(at: paths)
    #expect(store.integer(forKey: "a") == 1)
    try retire(on: machine)
    let looks = try set(in: store, on: machine, editing: bytes, atLook: moment)
    return (store.snapshot().values, looks)
  }

  /// Sets a value while the file is edited before one of the process's looks and changes.
  /// - Returns: how many of these there were.
  private func set(
    in store: Store, on machine: FaultMachine, editing bytes: [UInt8], atLook moment: Int
  ) throws -> Int {
    var looks = 0
    let pass = { [paths] in
      looks += 1
      if looks == moment { machine.edit(paths.plist, bytes) }
    }
    machine.beforeLook = { _ in pass() }
    machine.beforeCall = { _, _ in pass() }
    try store.set(.integer(3), forKey: "c")
    (machine.beforeLook, machine.beforeCall) = (nil, nil)
    store.table.checkAt = 0  // as if it had not looked for a while
    return looks
  }

  /// Has a process retire the journal, and get no further.
  private func retire(on machine: FaultMachine) throws {
    let store = machine.process().store(at: paths)
    #expect(store.integer(forKey: "b") == 2)
    let journal = try #require(store.journal)
    machine.error = { _, call, _ in
      call.hasPrefix("write") && journal.state.isRetired ? EIO : nil
    }
    #expect(throws: StorageError.self) { try store.compact(journal) }
    machine.error = nil
    try #require(journal.state.isRetired && !journal.isSucceeded)
  }
}
