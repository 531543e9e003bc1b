import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataDomains
@testable import StrataStorage

/// Domains of which it can't be told at first where they are.
@Suite struct UncertainDomainTests {
  private let canTell = Guarded(false)

  // Without them, each look at what is missing makes the list anew.
  init() { StorageProcess.current.useKernelEvents() }

  // D-26
  @Test func `values for this host are searched once the machine's number can be read`() throws {
    let machine = HostIdentifier(of: "a machine")
    let host = KnownHost { [canTell] () throws(StorageError) in
      if canTell.withLock({ $0 }) { return machine }
      throw StorageError(.open, "/etc/machine-id", code: EMFILE)
    }
    let fixture = try StackFixture(host: .asked(host))
    try fixture.tree.write(
      "{a = 1;}", to: ".config/defaults/ByHost/\(StackFixture.name).\(machine.text).plist")
    try expectValueOnceItIsKnown(in: fixture)
  }

  // D-10
  @Test func `a user's managed values are searched once it is known who that is`() throws {
    let ada = UserRecord(id: geteuid(), group: 0, name: "ada", home: "/home/ada")
    let user = KnownUser(id: geteuid()) { [canTell] _ in
      canTell.withLock { $0 } ? .found(ada) : .failed(EIO)
    }
    let fixture = try StackFixture(user: .asked(user))
    try fixture.tree.write("{a = 1;}", to: "system/managed/users/ada/\(StackFixture.name).plist")
    try expectValueOnceItIsKnown(in: fixture)
    #expect(try fixture.stack().isForced("a"))
  }

  private func expectValueOnceItIsKnown(in fixture: StackFixture) throws {
    let stack = try fixture.stack()
    for _ in 0..<3 { #expect(stack.value(forKey: "a") == nil) }
    canTell.withLock { $0 = true }
    #expect(holds { stack.value(forKey: "a") == .string("1") })
  }
}
