import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A journal that is destroyed while processes set and flush at the same time, each of which may be
/// in the middle of a call.
@Suite(.serialized) struct InterleavedBlowCrashTests {
  // S-3, S-6, S-9
  @Test(arguments: [JournalBlow.zeroed, .random, .removed])
  func `what living processes set and flush stays, whenever their journal is destroyed`(
    blow: JournalBlow
  ) throws {
    try InterleavedBlow.run(blow, 0..<400)
  }

  // S-3, S-6, S-9
  @Test(arguments: [JournalBlow.zeroed, .random, .removed])
  func `what is set stays, also if a stopped process goes on long after the blow`(
    blow: JournalBlow
  ) throws {
    try InterleavedBlow.run(blow, 0..<60, stops: true)
  }
}

/// One schedule in some thousands found what no other test had found.
@Suite(.serialized) struct InterleavedBlowCrashSlowTests {
  // S-3, S-6, S-9
  @Test(arguments: [JournalBlow.zeroed, .random, .removed])
  func `what living processes set and flush stays in thousands of schedules`(
    blow: JournalBlow
  ) throws {
    try InterleavedBlow.run(blow, 400..<2_500)
    try InterleavedBlow.run(blow, 60..<400, stops: true)
  }
}

private enum InterleavedBlow {
  /// - Parameter stops: whether one of them stops before some call until all others have ended.
  static func run(_ blow: JournalBlow, _ seeds: Range<UInt64>, stops: Bool = false) throws {
    let paths = CrashScript.paths
    for seed in seeds {
      let machine = FaultMachine()
      machine.settlingTime = 1_000_000_000_000
      machine.patience = 5_000_000
      machine.mendingPatience = 600_000_000_000
      let users = (0..<3).map { _ in machine.process().store(at: paths) }
      for (index, user) in users.enumerated() { try user.set(.integer(0), forKey: "k\(index)") }
      for user in users { try #require(user.snapshot().values.count == users.count) }
      let turns = Turns(of: users.count, seed: seed)
      var random = SeededGenerator(seed: seed)
      let calls = Int.random(in: 1..<200, using: &random)
      let stop = stops ? Int.random(in: 1..<200, using: &random) : 0
      var call = 0
      let count = {
        call += 1
        if call == calls { blow.strike(machine, &random) }
        if call == stop { turns.stop() } else { turns.mayPass() }
      }
      machine.beforeLook = { _ in count() }
      machine.beforeCall = { _, _ in count() }
      machine.beforeBootID = count
      for (index, user) in users.enumerated() {
        let script = SeededGenerator(seed: seed * 3 + UInt64(index))
        #expect(Thread.start { Self.act(user, "k\(index)", script, turns, index) })
      }
      turns.wait()
      (machine.beforeLook, machine.beforeCall, machine.beforeBootID) = (nil, nil, nil)
      try #require(turns.faults.isEmpty, "seed \(seed): \(turns.faults)")
      let expected = (0..<users.count).map { ("k\($0)", PropertyListValue.integer(12)) }
      // What only one of them knows is seen by the others once that one has looked.
      for store in users {
        store.table.checkAt = 0  // as if it had not looked for a while
        _ = store.snapshot()
      }
      for store in users + [machine.process().store(at: paths)] {
        store.table.checkAt = 0  // as if it had not looked for a while
        let found = store.snapshot().values
        try #require(found == Dictionary(uniqueKeysWithValues: expected), "seed \(seed)")
      }
    }
  }

  private static func act(
    _ user: Store, _ key: String, _ script: SeededGenerator, _ turns: Turns, _ own: Int
  ) {
    var script = script
    turns.begin(own)
    for number in Int64(1)...12 {
      // As if it had not looked for a while.
      if Bool.random(using: &script) { user.table.checkAt = 0 }
      do { try user.set(.integer(number), forKey: key) } catch { turns.note("\(error)") }
      if Bool.random(using: &script) { user.table.checkAt = 0 }
      let found = user.integer(forKey: key)
      if found != number { turns.note("\(own) reads \(found ?? -1), not \(number)") }
      if Int.random(in: 0..<4, using: &script) == 0 { _ = user.checkpoint() }
    }
    turns.end(own)
  }
}
