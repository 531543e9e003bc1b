import Glibc
import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// File systems whose names can't be traded: what is put aside there, and when a process dies.
@Suite struct PlainNamesTests {
  private static let paths = CrashScript.paths

  // S-19, S-21, S-9
  @Test func `a journal that can't be used is kept where names can't be traded`() throws {
    try judge { machine in
      let store = machine.process().store(at: Self.paths)
      try store.set(.integer(1), forKey: "a")
      // One byte of the head.
      machine.damage(Self.paths.journal, at: 20)
    } ending: { machine in
      machine.names.keys.filter { $0.hasPrefix(Self.paths.journal + ".damaged-") }
    }
  }

  // S-19, S-21, S-9
  @Test func `a property list that can't be used is kept where names can't be traded`() throws {
    try judge { machine in
      machine.makeParents(of: Self.paths.journal)
      machine.edit(Self.paths.plist, Array("no property list {".utf8))
      let store = machine.process().store(at: Self.paths)
      try store.set(.integer(1), forKey: "a")
    } ending: { machine in
      machine.names.keys.filter { $0.hasPrefix(Self.paths.plist + ".damaged-") }
    }
  }

  /// One process mends things and dies before each of its calls; another one goes on.
  private func judge(
    _ begin: (FaultMachine) throws -> Void,
    ending kept: (FaultMachine) -> [String]
  ) throws {
    let machine = FaultMachine(.plainNames)
    try begin(machine)
    var images = [machine.afterDeath()]
    machine.beforeCall = { _, _ in images.append(machine.afterDeath()) }
    mend(machine)
    machine.beforeCall = nil
    images.append(machine.afterDeath())
    try #require(images.count > 5)
    for (number, image) in images.enumerated() {
      mend(image)
      let found = image.process().store(at: Self.paths).snapshot().values
      try #require(found == ["a": .integer(1)], "before call \(number) of \(images.count)")
      try #require(!kept(image).isEmpty, "before call \(number) of \(images.count)")
    }
  }

  private func mend(_ machine: FaultMachine) {
    let store = machine.process().store(at: Self.paths)
    _ = store.snapshot()
    store.lock.withLock { store.plist.unsoundSince = 0 }
    store.flush()
  }

  // S-19, S-22
  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func `a file with two names in one directory of others is no second name of a foreign file`()
    throws
  {
    let home = try HostileHome()
    let journal = home.paths.journal
    try home.store().set(.integer(1), forKey: "a")
    try #require(link(journal, JournalDraft.path(home.paths.draftStem(continuing: nil), 1)) == 0)
    let store = home.store()
    #expect(store.integer(forKey: "a") == 1)
    #expect(store.issues == [])
    #expect(store.flush())
    #expect(StoreCheck(home.paths).findings == [])
    try #require(link(home.paths.journal, home.paths.directory + "/elsewhere") == 0)
    #expect(!home.store().issues.isEmpty)
  }
}
