import Glibc
import StrataPropertyList
import StrataTesting
import Synchronization
import Testing

@testable import StrataStorage

/// `fork` in a process whose threads read, write and flush.
@Suite(.serialized, .waiting) struct ForkProcessTests {
  // S-14
  @Test func `parent and child go on after a fork, and see each other's sets`() throws {
    let place = try Place()
    let probe = try Probe(["fork", place.plist])
    #expect(try probe.line() == "ready")
    for round in 1...50 {
      try #require(try probe.ask("go", within: 600) == "ok", "round \(round)")
    }
    probe.kill(SIGKILL)
    #expect(try probe.wait() == .signalled(SIGKILL))
    let store = place.freshStore()
    #expect(store.integer(forKey: "child") == 50)
    #expect(store.integer(forKey: "parent") == 50)
    #expect(store.integer(forKey: "child.49") == 50)
  }

  // S-14, S-3
  @Test func `a child that outlives its killed parent is in nobody's way`() throws {
    for round in 1...15 {
      let place = try Place()
      let probe = try Probe(["fork", place.plist])
      #expect(try probe.line() == "ready")
      let child = try #require(pid_t(try probe.ask("leave")))
      defer { kill(child, SIGKILL) }
      probe.kill(SIGKILL)
      #expect(try probe.wait() == .signalled(SIGKILL))
      let other = try place.serve()
      try #require(try other.ask("set other \(round)", within: 600) == "ok", "round \(round)")
      try #require(try other.ask("flush", within: 600) == "true", "round \(round)")
      #expect(try place.plistValues()?["other"] != nil)
    }
  }

  // S-14, S-2
  @Test func `a child that ends its parent's watch leaves the parent watching`() throws {
    let place = try Place()
    let (parent, other) = (try place.serve(), place.freshStore())
    try #require(try parent.ask("set a 1") == "ok" && parent.ask("flush") == "true")
    try #require(try parent.ask("watch a") == "ok")
    #expect(other.snapshot().values == ["a": .integer(1)] && watcherCount(of: other) == 1)
    #expect(try parent.ask("unwatch-in-child", within: 600) == "ok")
    #expect(watcherCount(of: other) == 1)
    try other.set(.integer(7), forKey: "a")
    #expect(try parent.ask("told 7", within: 600) == "7")
  }

  private func watcherCount(of store: Store) -> UInt32? {
    store.lock.withLock { store.journal?.watchers.pointee.load(ordering: .sequentiallyConsistent) }
  }
}
