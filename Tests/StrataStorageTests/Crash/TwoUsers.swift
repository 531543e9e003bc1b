import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Two processes that use a domain: `user` has flushed it, and has set something since.
struct TwoUsers {
  let machine = FaultMachine()
  let user: Store
  let other: Store

  init() throws {
    machine.settlingTime = 1_000_000_000_000
    user = machine.process().store(at: CrashScript.paths)
    other = machine.process().store(at: CrashScript.paths)
    try user.set(.integer(1), forKey: "user")
    try other.set(.integer(1), forKey: "other")
    try #require(user.flush())
    try user.set(.integer(2), forKey: "user")
  }

  /// Runs `step` before every call of every process while `body` runs.
  func during<Result>(_ body: () throws -> Result, step: @escaping () -> Void) rethrows -> Result {
    machine.beforeLook = { _ in step() }
    machine.beforeCall = { _, _ in step() }
    defer { (machine.beforeLook, machine.beforeCall) = (nil, nil) }
    return try body()
  }

  /// The file that a checkpoint of the present journal writes.
  func lateFile() throws -> [UInt8] {
    let journal = try #require(user.journal)
    return PlistFile.encode(
      user.snapshot().values, as: .binary,
      holding: JournalKnowledge(of: journal.header, upTo: journal.length))
  }

  func strike(_ blow: JournalBlow) {
    var random = SeededGenerator(seed: 1)
    blow.strike(machine, &random)
  }

  /// Runs `body` for each call and each later one, or the one after all.
  /// - Parameter body: gives the number of calls.
  static func forEachPairOfCalls(_ body: (Int, Int) throws -> Int) rethrows -> Int {
    var count = 1
    var (first, second) = (1, 1)
    while first <= count {
      count = max(count, try body(first, second))
      second += 1
      if second > count + 1 { (first, second) = (first + 1, first + 1) }
    }
    return count
  }

  func expect(
    _ expected: [String: PropertyListValue], _ stores: [Store], _ place: Comment
  ) throws {
    for store in stores + [machine.process().store(at: CrashScript.paths)] {
      store.table.checkAt = 0  // as if it had not looked for a while
      try #require(store.snapshot().values == expected, place)
    }
  }
}
