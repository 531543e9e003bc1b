import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A checkpoint that gives its file the name late, when its journal is destroyed, others know more
/// than is in that file, and are just bringing it to the journal in the lost one's place.
@Suite(.serialized) struct LateCheckpointCrashSlowTests {
  enum Blow: CaseIterable, Sendable {
    case zeroed, removed
    /// All but the last record can be read.
    case headAndLast
  }

  // S-3, S-6, S-8, S-9
  @Test(arguments: Blow.allCases)
  func `what was set beside a file that gets its name late is newer than that`(blow: Blow) throws {
    var count = 1
    var (setCall, nameCall) = (1, 1)
    while setCall <= count {
      count = max(count, try Self.run(blow, setCall, nameCall))
      nameCall += 1
      if nameCall > count + 1 { (setCall, nameCall) = (setCall + 1, setCall + 1) }
    }
    #expect(count > 20)
  }

  /// - Parameters:
  ///   - setCall: before which call of the process that mends the journal a new one sets something.
  ///   - nameCall: before which call the file gets its name.
  /// - Returns: the number of calls.
  private static func run(_ blow: Blow, _ setCall: Int, _ nameCall: Int) throws -> Int {
    let paths = CrashScript.paths
    let machine = FaultMachine()
    machine.settlingTime = 1_000_000_000_000
    let (user, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
    try user.set(.integer(1), forKey: "user")
    try other.set(.integer(1), forKey: "other")
    try #require(user.flush())
    try user.set(.integer(2), forKey: "user")
    let file = try late(user)
    try user.set(.integer(3), forKey: "user")
    try #require(other.integer(forKey: "user") == 3)
    try user.set(.integer(4), forKey: "user")
    strike(blow, machine)
    var (calls, isActing) = (0, false)
    let new = machine.process().store(at: paths)
    var fault: String?
    let step = {
      if isActing { return }
      isActing = true
      defer { isActing = false }
      calls += 1
      if calls == setCall {
        do { try new.set(.integer(1), forKey: "new") } catch { fault = "\(error)" }
      }
      if calls == nameCall { machine.edit(paths.plist, file) }
    }
    machine.beforeLook = { _ in step() }
    machine.beforeCall = { _, _ in step() }
    try other.set(.integer(2), forKey: "other")
    (machine.beforeLook, machine.beforeCall) = (nil, nil)
    let count = calls
    while calls < max(setCall, nameCall) { step() }
    let place: Comment = "set before call \(setCall), named before call \(nameCall)"
    try #require(fault == nil, place)
    // A journal that was only removed can still be read by those who have it open.
    var expected: [String: PropertyListValue] = [
      "user": .integer(blow == .removed ? 4 : 3), "other": .integer(2), "new": .integer(1),
    ]
    try expect(expected, [other, new, machine.process().store(at: paths)], place)
    // Only now the one looks that knows most.
    expected["user"] = .integer(4)
    try expect(expected, [user, other, new, machine.process().store(at: paths)], place)
    return count
  }

  /// The file that a checkpoint of the present journal writes.
  private static func late(_ user: Store) throws -> [UInt8] {
    let journal = try #require(user.journal)
    return PlistFile.encode(
      user.snapshot().values, as: .binary,
      holding: JournalKnowledge(of: journal.header, upTo: journal.length))
  }

  private static func strike(_ blow: Blow, _ machine: FaultMachine) {
    let path = CrashScript.paths.journal
    guard var bytes = machine.names[path]?.bytes else { return }
    switch blow {
    case .removed: return machine.rename([(path, nil)])
    case .zeroed: bytes = [UInt8](repeating: 0, count: bytes.count)
    case .headAndLast:
      for index in 0..<JournalLayout.recordsStart { bytes[index] = 0 }
      if let last = bytes.lastIndex(where: { $0 != 0 }) { bytes[last] ^= 1 }
    }
    machine.editInPlace(path, bytes)
  }

  private static func expect(
    _ expected: [String: PropertyListValue], _ stores: [Store], _ place: Comment
  ) throws {
    for store in stores {
      store.table.checkAt = 0  // as if it had not looked for a while
      try #require(store.snapshot().values == expected, place)
    }
  }
}
