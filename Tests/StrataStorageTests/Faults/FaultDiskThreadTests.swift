import Testing

@testable import FaultTesting
@testable import StrataStorage

/// What the fault machine owes to the tests that use it.
struct FaultDiskThreadTests {
  // Any store's flush closes what others retired, on its own thread.
  @Test func `a file may be closed on any thread while another one opens more`() throws {
    let machine = FaultMachine()
    let disk = FaultDisk(on: machine, process: 0)
    machine.makeParents(of: "/home/a")
    let given = try (0..<20_000).map { _ in try disk.open("/home/a", .make(mode: 0o600)) }
    inParallel(2) { thread in
      if thread == 0 { return given.forEach(disk.close) }
      for _ in given {
        do { disk.close(try disk.open("/home/a", .read)) } catch { Issue.record(error) }
      }
    }
    #expect(throws: StorageError.self) { try disk.status(of: given[0]) }
  }
}
