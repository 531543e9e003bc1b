import Glibc
import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A checkpoint whose journal is destroyed before any of its calls, while another process, before
/// any later call, goes on without that journal.
@Suite(.serialized) struct LostAnnouncementCrashTests {
  // S-3, S-4, S-6, S-9
  @Test(arguments: [JournalBlow.zeroed, .removed], [false, true])
  func `a file whose announcement is lost is no edit, and no older than what others bring`(
    blow: JournalBlow, isKnown: Bool
  ) throws {
    var flushedCount = 0
    let count = try TwoUsers.forEachPairOfCalls {
      let (calls, isFlushed) = try Self.run(blow, isKnown, blow: $0, act: $1)
      if isFlushed { flushedCount += 1 }
      return calls
    }
    #expect(count > 20 && flushedCount > 10)
  }

  // S-3, S-10
  @Test func `what waits to be brought is not forgotten when the files are loaded meanwhile`()
    throws
  {
    let users = try TwoUsers()
    let (machine, user, other) = (users.machine, users.user, users.other)
    try #require(other.integer(forKey: "user") == 2)
    try user.set(.integer(3), forKey: "user")
    users.strike(.zeroed)
    machine.error = { _, _, _ in ENOSPC }
    try user.set(.integer(1), forKey: "new")
    machine.error = nil
    try #require(user.loss != nil)
    try other.set(.integer(2), forKey: "other")
    user.lock.withLock { user.load() }
    let expected: [String: PropertyListValue] = [
      "user": .integer(3), "other": .integer(2), "new": .integer(1),
    ]
    try users.expect(expected, [user, other], "loaded while nothing could be stored")
  }

  // S-3, S-6
  @Test(arguments: [JournalBlow.zeroed, .removed])
  func `what was set back to what the file has is newer than a file that gets its name late`(
    blow: JournalBlow
  ) throws {
    let users = try TwoUsers()
    let (machine, user, other) = (users.machine, users.user, users.other)
    let late = try users.lateFile()
    try user.set(.integer(1), forKey: "user")
    try user.set(.integer(1), forKey: "new")
    try user.set(nil, forKey: "new")
    try #require(other.integer(forKey: "user") == 1)
    users.strike(blow)
    try other.set(.integer(2), forKey: "other")
    machine.edit(CrashScript.paths.plist, late)
    try users.expect(["user": .integer(1), "other": .integer(2)], [other, user], "\(blow)")
  }

  // S-3, S-6, S-10
  @Test func `what was brought is not shown over a later file while the disk is full`() throws {
    let users = try TwoUsers()
    let (machine, user, other) = (users.machine, users.user, users.other)
    try #require(other.integer(forKey: "user") == 2)
    try user.set(.integer(3), forKey: "user")
    let late = try users.lateFile()
    users.strike(.zeroed)
    try other.set(.integer(2), forKey: "other")
    try #require(other.integer(forKey: "user") == 2)
    machine.edit(CrashScript.paths.plist, late)
    machine.error = { _, call, _ in call.hasPrefix("create") ? ENOSPC : nil }
    let expected: [String: PropertyListValue] = ["user": .integer(3), "other": .integer(2)]
    try users.expect(expected, [other], "no space")
    machine.error = nil
    try users.expect(expected, [other, user], "space again")
    #expect(other.checkpoint() == .unsettled)
    other.journal?.settlesAt = 1  // as if all had had the time to bring something
    #expect(other.flush())
    try users.expect(expected, [other, user], "flushed")
  }

  // S-3, S-9, S-11
  @Test func `who reads a journal while it is destroyed does not claim to know what it held`()
    throws
  {
    let users = try TwoUsers()
    let (machine, user, other) = (users.machine, users.user, users.other)
    try #require(other.integer(forKey: "user") == 2)
    // So much that who reads it asks first how large the file is.
    let large = PropertyListValue.string(String(repeating: "x", count: 50_000))
    try user.set(large, forKey: "user")
    var isStruck = false
    machine.beforeLook = { call in
      guard call == .statusOfFile, !isStruck else { return }
      isStruck = true
      users.strike(.zeroed)
    }
    other.lock.withLock { other.catchUp() }
    machine.beforeLook = nil
    try #require(isStruck)
    let expected: [String: PropertyListValue] = ["user": large, "other": .integer(1)]
    try users.expect(expected, [user, other], "after both have looked")
  }

  /// - Parameter isKnown: whether the other process knows all that is in the journal.
  private static func run(
    _ blow: JournalBlow, _ isKnown: Bool, blow blowCall: Int, act actCall: Int
  ) throws -> (calls: Int, isFlushed: Bool) {
    let users = try TwoUsers()
    let (machine, user, other) = (users.machine, users.user, users.other)
    try #require(other.integer(forKey: "user") == 2)
    if !isKnown { try user.set(.integer(3), forKey: "user") }
    let lineage = user.journal?.header.lineage
    var (calls, isActing) = (0, false)
    var fault: String?
    let act = {
      isActing = true
      defer { isActing = false }
      do { try other.set(.integer(2), forKey: "other") } catch { fault = "\(error)" }
      if other.integer(forKey: "other") != 2 { fault = "what was set is not there" }
    }
    let outcome = users.during {
      user.checkpoint()
    } step: {
      if isActing { return }
      calls += 1
      if calls == blowCall { users.strike(blow) }
      if calls == actCall { act() }
    }
    if calls < actCall { act() }
    let place: Comment = "blow before call \(blowCall), other acts before call \(actCall)"
    try #require(fault == nil, place)
    var expected: [String: PropertyListValue] = [
      "user": .integer(isKnown ? 2 : 3), "other": .integer(2),
    ]
    let last = machine.afterDeath().process().store(at: CrashScript.paths)
    let found = last.snapshot().values
    // A successor that gets the name just after the blow takes it from what is in its place by
    // then, which only those know who live.
    let isSucceeded = last.journal?.header.lineage == lineage
    if outcome == .done || isKnown {
      try #require(found == expected || isSucceeded && found["user"] == expected["user"], place)
    }
    other.table.checkAt = 0  // as if it had not looked for a while
    let early = other.snapshot().values
    let isEarly = !isKnown && outcome != .done && early["user"] == .integer(2)
    try #require(early == expected || isEarly && early["other"] == expected["other"], place)
    try users.expect(expected, [user, other], place)
    expected["other"] = .integer(4)
    try other.set(.integer(4), forKey: "other")
    try #require(user.snapshot().values == expected, place)
    return (calls, outcome == .done)
  }
}
