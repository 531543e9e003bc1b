import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A checkpoint whose journal is destroyed before any of its calls, while another process, before
/// any later call, goes on without that journal.
@Suite(.serialized) struct LostAnnouncementCrashTests {
  enum Blow: CaseIterable, Sendable { case zeroed, removed }

  // S-3, S-4, S-6, S-9
  @Test(arguments: Blow.allCases, [false, true])
  func `a file whose announcement is lost is no edit, and no older than what others bring`(
    blow: Blow, isKnown: Bool
  ) throws {
    var count = 1
    var (blowCall, actCall) = (1, 1)
    var flushed = 0
    while blowCall <= count {
      let tried = try Self.run(blow, isKnown, blowCall, actCall)
      count = tried.calls
      if tried.isFlushed { flushed += 1 }
      actCall += 1
      if actCall > count + 1 { (blowCall, actCall) = (blowCall + 1, blowCall + 1) }
    }
    #expect(count > 20 && flushed > 10)
  }

  private static func run(
    _ blow: Blow, _ isKnown: Bool, _ blowCall: Int, _ actCall: Int
  ) throws -> (calls: Int, isFlushed: Bool) {
    let paths = CrashScript.paths
    let machine = FaultMachine()
    machine.settlingTime = 1_000_000_000_000
    let (user, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
    try user.set(.integer(1), forKey: "user")
    try other.set(.integer(1), forKey: "other")
    try #require(user.flush())
    try user.set(.integer(2), forKey: "user")
    try #require(other.integer(forKey: "user") == 2)
    if !isKnown { try user.set(.integer(3), forKey: "user") }
    let lineage = user.journal?.header.lineage
    var (calls, isActing) = (0, false)
    var fault: String?
    let act = {
      if isActing { return }
      isActing = true
      defer { isActing = false }
      do { try other.set(.integer(2), forKey: "other") } catch { fault = "\(error)" }
      if other.integer(forKey: "other") != 2 { fault = "what was set is not there" }
    }
    let step = {
      if isActing { return }
      calls += 1
      if calls == blowCall { strike(blow, machine) }
      if calls == actCall { act() }
    }
    machine.beforeLook = { _ in step() }
    machine.beforeCall = { _, _ in step() }
    let outcome = user.checkpoint()
    (machine.beforeLook, machine.beforeCall) = (nil, nil)
    if calls < actCall { act() }
    let place: Comment = "blow before call \(blowCall), other acts before call \(actCall)"
    try #require(fault == nil, place)
    var expected: [String: PropertyListValue] = [
      "user": .integer(isKnown ? 2 : 3), "other": .integer(2),
    ]
    let last = machine.afterDeath().process().store(at: paths)
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
    for store in [user, other, machine.process().store(at: paths)] {
      store.table.checkAt = 0
      try #require(store.snapshot().values == expected, place)
    }
    expected["other"] = .integer(4)
    try other.set(.integer(4), forKey: "other")
    try #require(user.snapshot().values == expected, place)
    return (calls, outcome == .done)
  }

  private static func strike(_ blow: Blow, _ machine: FaultMachine) {
    let path = CrashScript.paths.journal
    switch blow {
    case .removed: machine.rename([(path, nil)])
    case .zeroed:
      let size = machine.names[path]?.bytes.count ?? 0
      machine.editInPlace(path, [UInt8](repeating: 0, count: size))
    }
  }
}
