import Foundation
import StrataTesting
import Testing

@testable import StrataDomains

/// What is taken from the real process.
struct ProcessSurroundingsTests {
  // D-7, D-26, D-29
  @Test func `the surroundings of this process are the system's`() throws {
    let current = ProcessSurroundings.current
    #expect(current.userID == geteuid())
    #expect(current.user == UserRecord.record(UserRecord.withID(geteuid()), of: "me"))
    #expect(current.environment("HOME") == ProcessInfo.processInfo.environment["HOME"])
    #expect(!current.isSetUID)
    #expect(try current.host == HostIdentifier.find())
    #expect(current.host.text.count == 12)
    #expect(!current.executableName.isEmpty && !current.executableName.contains("/"))
  }

  // D-9
  @Test func `users are found by name and by number`() throws {
    let root = try #require(UserRecord.named("root"))
    #expect((root.id, root.group, root.home) == (0, 0, "/root"))
    #expect(UserRecord.withID(0) == .found(root))
    #expect(UserRecord.named("no such user") == nil)
    #expect(UserRecord.named("") == nil)
    #expect(UserRecord.named("root\0x") == nil)
    #expect(UserRecord.withID(3_999_999_999) == .none)
  }

  // D-9, D-29
  @Test func `a lookup that fails is repeated, and an answer counts for the process`() {
    let root = UserRecord(id: 0, group: 0, name: "root", home: "/root")
    for (answer, record) in [(UserRecord.Lookup.found(root), root), (.none, nil)] {
      let lookups = Guarded<[UserRecord.Lookup]>([answer, .failed(EMFILE)])
      let user = KnownUser(id: 0) { _ in lookups.withLock { $0.popLast() ?? .failed(EIO) } }
      #expect(user.record == nil)
      #expect(user.record == record && user.record == record)
    }
  }

  // D-29
  @Test func `a server that takes long to fail is not asked at each look`() {
    let lookups = Guarded(0)
    let user = KnownUser(id: 0) { _ in
      lookups.withLock { $0 += 1 }
      usleep(200_000)
      return .failed(ETIMEDOUT)
    }
    for _ in 0..<100 { #expect(user.record == nil && user.isFailing) }
    #expect(lookups.withLock { $0 } == 1)
    #expect(holds { user.record == nil && lookups.withLock { $0 } > 1 })
  }
}
