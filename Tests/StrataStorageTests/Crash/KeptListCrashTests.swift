import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A property list that can't be used, and is replaced by a process that meets an error, or dies,
/// at any call.
@Suite struct KeptListCrashTests {
  private let paths = CrashScript.paths
  private let garbage = Array("<plist>not one".utf8)

  /// A list with garbage in it, and a process that has set something.
  private func machine(_ kind: FaultMachine.Kind) throws -> (FaultMachine, Store) {
    let machine = FaultMachine(kind)
    machine.flushPatience = 0
    machine.makeParents(of: paths.plist)
    machine.edit(paths.plist, garbage)
    let store = machine.process().store(at: paths)
    try store.set(.integer(1), forKey: "a")
    return (machine, store)
  }

  /// Flushes, as if the list had been like that for long; looks again where it is another file now.
  private func flush(_ store: Store) -> Bool {
    for _ in 0..<3 {
      store.lock.withLock { store.plist.unsoundSince = 0 }
      if store.flush() { return true }
    }
    return false
  }

  private func keeps(_ machine: FaultMachine) -> Bool {
    machine.names.contains { path, file in
      file.bytes == garbage && (path == paths.plist || path.contains(".damaged-"))
    }
  }

  // S-9
  @Test(arguments: FaultMachine.Kind.allCases, [EIO, ENOSPC, EMFILE])
  func `what was in it is kept, whatever call fails`(kind: FaultMachine.Kind, code: Int32) throws {
    var (first, calls) = (0, 0)
    while calls >= first {
      first += 1
      let (machine, store) = try machine(kind)
      calls = 0
      let fail = { () -> Int32? in
        calls += 1
        return calls == first ? code : nil
      }
      machine.error = { _, _, _ in fail() }
      machine.quietError = { _, _ in fail() }
      _ = flush(store)
      (machine.error, machine.quietError) = (nil, nil)
      // Once for what had been begun, and once for what has been set since.
      for number in 2...3 {
        try store.set(.integer(Int64(number)), forKey: "a")
        #expect(flush(store))
      }
      try #require(keeps(machine), "call \(first)")
      #expect(machine.afterDeath().process().store(at: paths).integer(forKey: "a") == 3)
    }
    #expect(calls > 20)
  }

  // S-9
  @Test(arguments: FaultMachine.Kind.allCases)
  func `what was in it is kept, whenever who replaces it dies`(kind: FaultMachine.Kind) throws {
    let (machine, store) = try machine(kind)
    var count = 0
    machine.beforeCall = { _, call in
      count += 1
      let after = machine.afterDeath()
      let store = after.process().store(at: paths)
      #expect(throws: Never.self) { try store.set(.integer(2), forKey: "a") }
      #expect(flush(store) && keeps(after), "death before \(call)")
    }
    #expect(flush(store))
    #expect(count > 10 && keeps(machine))
  }
}
