import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A checkpoint that gives its file the name late, when its journal is destroyed, others know more
/// than is in that file, and are just bringing it to the journal in the lost one's place.
@Suite(.serialized) struct LateCheckpointCrashSlowTests {
  // S-3, S-6, S-8, S-9
  @Test(arguments: [JournalBlow.zeroed, .firstPageAndLast, .removed])
  func `what was set beside a file that gets its name late is newer than that`(
    blow: JournalBlow
  ) throws {
    let count = try TwoUsers.forEachPairOfCalls { try Self.run(blow, set: $0, name: $1) }
    #expect(count > 20)
  }

  /// - Parameters:
  ///   - setCall: before which call of the process that mends the journal a new one sets something.
  ///   - nameCall: before which call the file gets its name.
  /// - Returns: the number of calls.
  private static func run(
    _ blow: JournalBlow, set setCall: Int, name nameCall: Int
  ) throws -> Int {
    let users = try TwoUsers()
    let (machine, user, other) = (users.machine, users.user, users.other)
    let file = try users.lateFile()
    try user.set(.integer(3), forKey: "user")
    try #require(other.integer(forKey: "user") == 3)
    try user.set(.integer(4), forKey: "user")
    users.strike(blow)
    let new = machine.process().store(at: CrashScript.paths)
    var (calls, isActing) = (0, false)
    var fault: String?
    let step = {
      if isActing { return }
      isActing = true
      defer { isActing = false }
      calls += 1
      if calls == setCall {
        do { try new.set(.integer(1), forKey: "new") } catch { fault = "\(error)" }
      }
      if calls == nameCall { machine.edit(CrashScript.paths.plist, file) }
    }
    try users.during({ try other.set(.integer(2), forKey: "other") }, step: step)
    let count = calls
    while calls < max(setCall, nameCall) { step() }
    let place: Comment = "set before call \(setCall), named before call \(nameCall)"
    try #require(fault == nil, place)
    // A journal that was only removed can still be read by those who have it open.
    var expected: [String: PropertyListValue] = [
      "user": .integer(blow == .removed ? 4 : 3), "other": .integer(2), "new": .integer(1),
    ]
    try users.expect(expected, [other, new], place)
    // Only now the one looks that knows most.
    expected["user"] = .integer(4)
    try users.expect(expected, [user, other, new], place)
    return count
  }
}
