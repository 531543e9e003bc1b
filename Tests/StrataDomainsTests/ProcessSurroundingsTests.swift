import Foundation
import StrataDomains
import Testing

/// What is taken from the real process.
struct ProcessSurroundingsTests {
  // D-7, D-26, D-29
  @Test func `the surroundings of this process are the system's`() {
    let current = ProcessSurroundings.current
    #expect(current.userID == geteuid())
    #expect(current.user == UserRecord.withID(geteuid()))
    #expect(current.environment("HOME") == ProcessInfo.processInfo.environment["HOME"])
    #expect(!current.isSetUID)
    #expect(current.host == HostIdentifier.read())
    #expect(current.host.text.count == 12)
    #expect(!current.executableName.isEmpty && !current.executableName.contains("/"))
  }

  // D-9
  @Test func `users are found by name and by number`() throws {
    let root = try #require(UserRecord.named("root"))
    #expect((root.id, root.group, root.home) == (0, 0, "/root"))
    #expect(UserRecord.withID(0) == root)
    #expect(UserRecord.named("no such user") == nil)
    #expect(UserRecord.named("") == nil)
    #expect(UserRecord.named("root\0x") == nil)
    #expect(UserRecord.withID(3_999_999_999) == nil)
  }
}
