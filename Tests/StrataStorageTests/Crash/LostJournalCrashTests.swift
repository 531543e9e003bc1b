import Glibc
import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A journal that is removed while a process uses it, which brings what it knows to the next one.
@Suite(.serialized) struct LostJournalCrashTests {
  private static let paths = CrashScript.paths

  /// One process has set these, and lost its journal.
  private static func lose(
    after sets: [(String, Int64)]
  ) throws -> (machine: FaultMachine, user: Store) {
    let machine = FaultMachine()
    let user = machine.process().store(at: paths)
    for (key, value) in sets { try user.set(.integer(value), forKey: key) }
    machine.rename([(paths.journal, nil)])
    return (machine, user)
  }

  private static func expect(
    _ expected: [String: PropertyListValue], _ machine: FaultMachine, _ stores: Store...,
    when: String = ""
  ) throws {
    for store in stores + [machine.process().store(at: paths)] {
      let found = store.snapshot().values
      try #require(found == expected, "\(when)")
    }
  }

  // S-3, S-6
  @Test func `what looks like the beginning of the lost one is newer all the same`() throws {
    let (machine, user) = try Self.lose(after: [("k", 1), ("k", 2)])
    let other = machine.process().store(at: Self.paths)
    try other.set(.integer(1), forKey: "k")
    try Self.expect(["k": .integer(1)], machine, user, other)
  }

  // S-3, S-6
  @Test func `what others have emptied stays empty`() throws {
    let (machine, user) = try Self.lose(after: [("k", 1), ("l", 2)])
    let other = machine.process().store(at: Self.paths)
    try other.set(.integer(1), forKey: "k")
    try other.apply(ChangeSet([Change(key: "m", value: .integer(3))], replacesAll: true))
    try Self.expect(["m": .integer(3)], machine, user, other)
  }

  // S-3, S-6, S-7
  @Test func `what another process sets and flushes at any moment of the rescue stays`() throws {
    var calls = 0
    var chosen = 0
    repeat {
      let (machine, user) = try Self.lose(after: [("k", 1)])
      let other = machine.process().store(at: Self.paths)
      calls = 0
      let pass = {
        calls += 1
        guard calls == chosen else { return }
        do {
          try other.set(.integer(5), forKey: "k")
          try other.set(.integer(7), forKey: "z")
        } catch {
          Issue.record(error)
        }
        other.flush()
      }
      machine.beforeCall = { _, _ in pass() }
      machine.beforeLook = { _ in pass() }
      try user.set(.integer(2), forKey: "m")
      machine.beforeCall = nil
      machine.beforeLook = nil
      var expected: [String: PropertyListValue] = ["k": .integer(1), "m": .integer(2)]
      if chosen > 0, chosen <= calls {
        expected["k"] = .integer(5)
        expected["z"] = .integer(7)
      }
      try Self.expect(expected, machine, user, other, when: "call \(chosen) of \(calls)")
      chosen += 1
    } while chosen <= calls
    #expect(chosen > 10)
  }

  // S-3, S-10
  @Test func `what is known is stored once there is room, also when nobody sets again`() throws {
    let (machine, user) = try Self.lose(after: [("k", 1)])
    machine.error = { _, _, _ in ENOSPC }
    #expect(user.integer(forKey: "k") == 1)
    #expect(!user.synchronize() && !user.flush())
    #expect(user.mayHavePending)
    machine.error = nil
    #expect(user.flush())
    try Self.expect(["k": .integer(1)], machine, user)
  }

  /// What the process that lost its journal does next.
  enum Act: CaseIterable { case read, set, flush }

  /// What was in the property list.
  enum List: CaseIterable {
    case base
    /// A checkpoint had given its file the name, and not come to the next journal.
    case announced
  }

  // S-3, S-10
  @Test(arguments: Act.allCases, List.allCases)
  func `no call that fails once during the rescue costs what is known`(
    act: Act, list: List
  ) throws {
    for (code, isQuiet) in [(EIO, true), (EACCES, true), (EIO, false), (ENOSPC, false)] {
      var (calls, chosen) = (0, 0)
      while calls >= chosen {
        chosen += 1
        let (machine, user) = try Self.lose(over: list)
        calls = 0
        let failure = {
          calls += 1
          return calls == chosen ? code : nil
        }
        machine.quietError = { _, _ in isQuiet ? failure() : nil }
        machine.error = { _, _, _ in isQuiet ? nil : failure() }
        user.table.checkAt = 0  // as if it had not looked for a while
        var expected: [String: PropertyListValue] = [
          "f": .integer(0), "g": .integer(0), "k": .integer(1),
        ]
        switch act {
        case .read: _ = user.snapshot()
        case .flush: user.flush()
        case .set:
          try user.set(.integer(2), forKey: "m")
          expected["m"] = .integer(2)
        }
        (machine.quietError, machine.error) = (nil, nil)
        let when = "\(isQuiet ? "look" : "call") \(chosen) of \(calls), \(code)"
        try #require(user.snapshot().values == expected, "\(when)")
        user.table.checkAt = 0
        _ = user.snapshot()
        try #require(user.flush(), "\(when)")
        try Self.expect(expected, machine, user, when: when)
        try Self.expect(expected, machine.afterDeath(), when: when)
      }
      #expect(chosen > 5)
    }
  }

  private static func lose(
    over list: List
  ) throws -> (machine: FaultMachine, user: Store) {
    let machine = FaultMachine()
    let user = machine.process().store(at: paths)
    try user.set(.integer(0), forKey: "f")
    try #require(user.flush())
    try user.set(.integer(0), forKey: "g")
    if list == .announced {
      let old = machine.names[paths.plist]
      machine.error = { _, call, _ in
        machine.names[paths.plist] !== old && call.hasPrefix("create") ? EIO : nil
      }
      #expect(user.checkpoint() == .done)
      machine.error = nil
      let intent = try #require(user.journal?.intent)
      #expect(user.plistFile.read().identity == intent.identity)
    } else {
      try #require(user.flush())
    }
    try user.set(.integer(1), forKey: "k")
    machine.rename([(paths.journal, nil)])
    return (machine, user)
  }

  // S-3, S-9a
  @Test(arguments: [1, 2, 3, 100], [EIO, EMFILE])
  func `opens that fail during the rescue beside a damaged list cost nothing`(
    failures: Int, code: Int32
  ) throws {
    var (opens, first) = (0, 0)
    while opens >= first {
      first += 1
      let machine = FaultMachine()
      let user = machine.process().store(at: Self.paths)
      for key in ["f", "g"] { try user.set(.integer(0), forKey: key) }
      try #require(user.flush())
      machine.damage(Self.paths.plist, at: 8 + RecordPrefix.size + 1)
      let store = machine.process().store(at: Self.paths)
      #expect(store.snapshot().values == ["g": .integer(0)])
      try store.set(.integer(1), forKey: "k")
      machine.remove(Self.paths.journal)
      opens = 0
      machine.quietError = { call, _ in
        guard call == .open else { return nil }
        opens += 1
        return opens >= first && opens < first + failures ? code : nil
      }
      store.table.checkAt = 0
      let when = "open \(first) of \(opens)"
      try #require(store.integer(forKey: "k") == 1, "\(when)")
      machine.quietError = nil
      store.table.checkAt = 0
      try #require(store.integer(forKey: "k") == 1, "\(when), later")
      try #require(store.synchronize(), "\(when)")
      try Self.expect(
        ["g": .integer(0), "k": .integer(1)], machine.afterDeath(), store, when: when)
    }
    #expect(first > 3)
  }

  // S-3, S-24
  @Test func `what is known goes on to the next journal while the property list can't be read`()
    throws
  {
    let place = try Place()
    let disk = LimitedDisk()
    let user = StorageProcess(on: disk, isAutomatic: false).store(at: place.paths)
    try user.set(.integer(0), forKey: "f")
    #expect(user.flush())
    try user.set(.integer(1), forKey: "k")
    disk.refuse(place.plist, EACCES)
    unlink(place.paths.journal)
    try user.set(.integer(2), forKey: "m")
    disk.refuse(place.plist, nil)
    #expect(
      place.freshValues() == ["f": .integer(0), "k": .integer(1), "m": .integer(2)])
  }
}
