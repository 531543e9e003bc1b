import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A journal that is destroyed while several processes use it, each of which knows what it had read
/// of it: nothing is lost as long as the process lives that set it.
@Suite(.serialized) struct DestroyedJournalCrashTests {
  // S-3, S-6, S-9
  @Test(arguments: JournalBlow.allCases)
  func `the last set of each key counts, whoever finds a journal destroyed first`(
    blow: JournalBlow
  ) throws {
    for seed in 0..<1_100 {
      var script = try Script(seed: UInt64(seed))
      for _ in 0..<12 { try script.act() }
      try script.strike(blow)
      for _ in 0..<10 {
        try script.act()
        script.start()
      }
      try script.check("\(blow), seed \(seed)")
      try #require(
        script.reads.faults.isEmpty, "\(blow), seed \(seed): \(script.reads.faults), \(script.log)")
    }
  }

  // S-3, S-6, S-9
  @Test(arguments: [JournalBlow.zeroed, .random, .firstPage])
  func `the last set of each key counts although a journal is destroyed in the middle of a call`(
    blow: JournalBlow
  ) throws {
    for seed in 0..<300 {
      var script = try Script(seed: UInt64(seed))
      for _ in 0..<12 { try script.act() }
      script.strikeLater(blow)
      for _ in 0..<20 {
        try script.act()
        script.start()
      }
      script.strikeNoMore()
      try script.check("\(blow), seed \(seed)")
      try #require(
        script.reads.faults.isEmpty, "\(blow), seed \(seed): \(script.reads.faults), \(script.log)")
    }
  }

  /// What several processes do, one after the other.
  private struct Script {
    /// How many processes use the domain before the blow.
    static let holders = 3
    let machine = FaultMachine()
    var users: [Store] = []
    var expected: [String: PropertyListValue] = [:]
    var random: SeededGenerator
    var count: Int64 = 0
    var log: [String] = []
    var removed: Journal?
    let reads: LocklessReads

    init(seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      reads = LocklessReads(on: machine)
      machine.settlingTime = 1_000_000_000_000
      machine.compactionSizeMin = 0
      for _ in 0..<Self.holders { users.append(machine.process().store(at: CrashScript.paths)) }
      for user in users { try user.set(.integer(0), forKey: "all") }
      expected["all"] = .integer(0)
      for user in users { reads.add(user) }
    }

    mutating func act() throws {
      let user = Int.random(in: 0..<users.count, using: &random)
      let key = "k\(Int.random(in: 0..<4, using: &random))"
      count += 1
      switch Int.random(in: 0..<9, using: &random) {
      case 0, 1:
        log.append("\(user) reads")
        _ = users[user].value(forKey: key)
      case 2 where mayFlush(users[user]):
        log.append("\(user) flushes")
        _ = users[user].checkpoint()
        users[user].compact()
      case 3 where user < Self.holders:
        log.append("\(user) removes \(key)")
        try users[user].set(nil, forKey: key)
        expect(user, key, nil)
      case 4:
        log.append("\(user) sets \(key) and all to \(count)")
        let changes = [
          Change(key: key, value: .integer(count)), Change(key: "all", value: .integer(count)),
        ]
        try users[user].apply(ChangeSet(changes))
        for changed in [key, "all"] { expect(user, changed, count) }
      default:
        log.append("\(user) sets \(key) to \(count)")
        try users[user].set(.integer(count), forKey: key)
        expect(user, key, count)
      }
    }

    private mutating func expect(_ user: Int, _ key: String, _ value: Int64?) {
      expected[key] = value.map { .integer($0) }
      reads.note(user, key, value, version: count)
    }

    /// Who had nothing to do with a removed journal knows nothing of it: what that flushes is an
    /// edit.
    private func mayFlush(_ user: Store) -> Bool {
      guard let removed else { return users[..<Self.holders].contains { $0 === user } }
      return user.journal.map { $0.status.isSameFile(as: removed.status) || $0.replacesDestroyed }
        ?? false
    }

    /// Has another process begin, now and then. It can't know that a journal was removed, so it
    /// neither writes the property list nor removes a key, which may have a value in that journal.
    mutating func start() {
      guard users.count < 5, Int.random(in: 0..<8, using: &random) == 0 else { return }
      log.append("\(users.count) starts")
      users.append(machine.process().store(at: CrashScript.paths))
      reads.add(users[users.count - 1])
    }

    /// Strikes before one of the next calls, whoever makes it.
    mutating func strikeLater(_ blow: JournalBlow) {
      var left = Int.random(in: 1..<80, using: &random)
      let (machine, reads) = (machine, reads)
      var random = random
      func count() {
        reads.look()
        left -= 1
        if left == 0 { blow.strike(machine, &random) }
      }
      log.append("blow before call \(left)")
      machine.beforeCall = { _, _ in count() }
      machine.beforeLook = { _ in count() }
    }

    func strikeNoMore() {
      machine.beforeCall = { [reads] _, _ in reads.look() }
      machine.beforeLook = { [reads] _ in reads.look() }
    }

    mutating func strike(_ blow: JournalBlow) throws {
      log.append("blow")
      let file = try #require(machine.names[CrashScript.paths.journal])
      if blow == .removed {
        removed = users.lazy.compactMap(\.journal).first { $0.status.number == file.number }
      }
      blow.strike(machine, &random)
    }

    func check(_ when: String) throws {
      for user in users {
        user.table.checkAt = 0  // as if it had not looked for a while
        _ = user.snapshot()
      }
      let stores = users + [machine.process().store(at: CrashScript.paths)]
      for (index, store) in stores.enumerated() {
        let found = store.snapshot().values
        try #require(found == expected, "\(when), \(index): \(log.joined(separator: ", "))")
      }
    }
  }
}
