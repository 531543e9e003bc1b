import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataDomains
@testable import StrataStorage

/// Domains of single hosts, which most users do not have: they are searched once there are any.
@Suite struct HostDomainTests {
  private let fixture: StackFixture
  private let stack: Stack
  private var hosts: String { fixture.tree.path + "/.config/defaults/ByHost" }

  init() throws {
    fixture = try StackFixture()
    stack = try fixture.stack()
  }

  // S-2, D-2
  @Test(arguments: 0..<4, [Place.applicationHost, .globalHost])
  func `the first value for this host that another process sets is read at once`(
    reads: Int, place: Place
  ) throws {
    // Domains without a journal would notice by themselves.
    try fixture.elsewhere().set(.integer(0), forKey: "b")
    try fixture.elsewhere(in: .global).set(.integer(0), forKey: "a")
    for _ in 0..<reads { #expect(stack.value(forKey: "a") == .integer(0)) }
    try fixture.elsewhere(in: place).set(.integer(1), forKey: "a")
    #expect(stack.value(forKey: "a") == .integer(1))
    try fixture.elsewhere(in: place).set(.integer(2), forKey: "a")
    #expect(stack.value(forKey: "a") == .integer(2))
  }

  // S-2
  @Test func `it is read at once by those who have heard of other domains meanwhile`() throws {
    for number in Int64(1)...3 {
      try fixture.elsewhere("com.example.\(number)").set(.integer(number), forKey: "b")
      #expect(stack.value(forKey: "a") == nil)
    }
    try fixture.elsewhere(in: .applicationHost).set(.integer(1), forKey: "a")
    #expect(stack.value(forKey: "a") == .integer(1))
  }

  // S-13
  @Test func `reads without such domains look at nothing once they have seen that`() throws {
    // A busy machine may take longer between two lines than a look counts for.
    #expect(holds { stack.value(forKey: "a") == nil && stack.list.cachedValue("a") == .some(nil) })
    #expect(access(hosts, F_OK) != 0)
  }

  // S-13, D-29
  @Test func `a directory for hosts slows nobody down on a machine without a number`() throws {
    let fixture = try StackFixture(host: .known(.unknown))
    let stack = try fixture.stack()
    for _ in 0..<2 { #expect(stack.value(forKey: "a") == nil) }
    try #require(mkdir(fixture.tree.path + "/.config/defaults/ByHost", 0o700) == 0)
    #expect(holds { stack.value(forKey: "a") == nil && stack.list.cachedValue("a") == .some(nil) })
  }

  // D-2
  @Test func `a directory that was made by hand is searched`() throws {
    for _ in 0..<3 { #expect(stack.value(forKey: "a") == nil) }
    let name = "ByHost/\(StackFixture.name).\(fixture.process.places.host.text).plist"
    try fixture.tree.write("{a = 1;}", to: ".config/defaults/" + name)
    #expect(holds { stack.value(forKey: "a") == .string("1") })
  }

  // S-2
  @Test func `it is read also when the hidden directory was taken away before`() throws {
    for _ in 0..<3 { #expect(stack.value(forKey: "a") == nil) }
    let hidden = fixture.tree.path + "/.config/defaults/.strata"
    try #require(rename(hidden, hidden + "-gone") == 0)
    try fixture.elsewhere(in: .applicationHost).set(.integer(1), forKey: "a")
    #expect(holds { stack.value(forKey: "a") == .integer(1) })
  }

  // D-26
  @Test func `what this process itself sets for this host is its own change from the first one on`()
    throws
  {
    let ear = Ear()
    let observer = Observer(["a"], ear.hear)
    stack.add(observer)
    let identifier = stack.identifier
    let layer = try #require(fixture.process.domainOnThisHost(identifier))
    try fixture.process.set(.integer(1), forKey: "a", in: layer, by: stack).notify()
    #expect(ear.values == [.integer(1)])
    #expect(ear.changes.first?.origin == .here(ObjectIdentifier(stack)))
    #expect(stack.value(forKey: "a") == .integer(1))
    stack.remove(observer)
  }

  // O-6
  @Test func `an observer hears of the first value for this host`() throws {
    let ear = Ear()
    let observer = Observer(["a"], ear.hear)
    stack.add(observer)
    try fixture.elsewhere(in: .globalHost).set(.integer(1), forKey: "a")
    #expect(holds { ear.values.last == .integer(1) })
    try fixture.elsewhere(in: .applicationHost).set(.integer(2), forKey: "a")
    #expect(holds { ear.values.last == .integer(2) })
    #expect(ear.changes.allSatisfy { $0.origin == .elsewhere })
    stack.remove(observer)
  }

  // D-2, S-8
  @Test func `who reads nothing watches the domains for this host, too`() throws {
    let other = try fixture.elsewhere(in: .applicationHost)
    try other.set(.integer(1), forKey: "a")
    let calls = Guarded(0)
    let watch = stack.watch { calls.withLock { $0 += 1 } }
    #expect(stack.stores.contains { $0.paths == other.paths })
    let before = calls.withLock { $0 }
    try other.set(.integer(2), forKey: "a")
    #expect(holds { calls.withLock { $0 } > before })
    withExtendedLifetime(watch) {}
  }

  // S-2
  @Test(.enabled(if: geteuid() == 0, "to give a directory away takes root"))
  func `in a home of somebody else's it is read at once, too`() throws {
    try #require(chown(fixture.tree.path, 1, 1) == 0)
    for _ in 0..<3 { #expect(stack.value(forKey: "a") == nil) }
    #expect(access(fixture.tree.path + "/.config", F_OK) != 0, "to read makes nothing there")
    try fixture.elsewhere(in: .applicationHost).set(.integer(1), forKey: "a")
    #expect(holds { stack.value(forKey: "a") == .integer(1) })
  }
}

/// The same for several threads.
@Suite struct HostDomainConcurrencyTests {
  // S-2
  @Test(.timeLimit(.minutes(30)))
  func `the first value for this host is read at once by every thread`() async throws {
    for _ in 0..<20 {
      let fixture = try StackFixture()
      let stack = try fixture.stack()
      try fixture.elsewhere().set(.integer(0), forKey: "b")
      let other = try fixture.elsewhere(in: .applicationHost)
      let isSet = Guarded(false)
      let misses = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<3 {
          group.addTask {
            for _ in 0..<100_000 {
              let wasSet = isSet.withLock { $0 }
              let value = stack.value(forKey: "a")
              if wasSet { return value == .integer(1) ? 0 : 1 }
            }
            return 0
          }
        }
        do { try other.set(.integer(1), forKey: "a") } catch { Issue.record(error) }
        isSet.withLock { $0 = true }
        return await group.reduce(0, +)
      }
      #expect(misses == 0)
    }
  }
}
