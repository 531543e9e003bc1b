import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A checkpoint that stops before any of its calls, while another process compacts the journal,
/// that one is lost, and a process that knew neither begins another one; and who looks at any later
/// call.
@Suite(.serialized) struct LostCompactionCrashTests {
  // S-3, S-4, S-6, S-9
  @Test(arguments: [JournalBlow.zeroed, .removed])
  func `an announcement that went with the journal that continued its own is none`(
    blow: JournalBlow
  ) throws {
    let count = try TwoUsers.forEachPairOfCalls { try Self.run(blow, act: $0, look: $1) }
    #expect(count > 50)
  }

  /// - Returns: how many calls the checkpoint made.
  private static func run(_ blow: JournalBlow, act actCall: Int, look lookCall: Int) throws -> Int {
    let users = try TwoUsers()
    let (machine, user, other) = (users.machine, users.user, users.other)
    try #require(other.integer(forKey: "user") == 2)
    var (calls, isActing, isTooLate) = (0, false, false)
    var fault: (any Error)?
    var seen: [String: PropertyListValue]?
    let step = { (call: String) in
      if isActing { return }
      isActing = true
      defer { isActing = false }
      calls += 1
      if calls == actCall {
        // Nothing tells a journal that was never there from one that is removed just before.
        isTooLate = blow == .removed && call == "rename \(CrashScript.paths.plist)"
        do { try Self.goOn(users, without: blow) } catch { fault = error }
      }
      if calls == lookCall {
        seen = machine.process().store(at: CrashScript.paths).snapshot().values
      }
    }
    machine.beforeLook = { _ in step("") }
    machine.beforeCall = { step($1) }
    let outcome = user.checkpoint()
    (machine.beforeLook, machine.beforeCall) = (nil, nil)
    let place: Comment = "lost before call \(actCall), seen before \(lookCall): \(outcome)"
    if let fault { throw fault }
    if calls < actCall || isTooLate { return calls }
    if let seen { try #require(seen["new"] == .integer(3), place) }
    let expected: [String: PropertyListValue] = [
      "user": .integer(2), "other": .integer(1), "new": .integer(3),
    ]
    try users.expect(expected, [user, other], place)
    return calls
  }

  private static func goOn(_ users: TwoUsers, without blow: JournalBlow) throws {
    users.other.lock.withLock { users.other.catchUp() }
    try users.other.compact(try #require(users.other.journal))
    users.strike(blow)
    try users.machine.process().store(at: CrashScript.paths).set(.integer(3), forKey: "new")
  }
}
