import Glibc
import StrataPropertyList
import StrataTesting
import Synchronization
import Testing

@testable import StrataStorage

/// Writers that are killed at any moment. `STRATA_KILLS` says how often those of each load are.
@Suite(.serialized, .waiting) struct KillProcessSlowTests {
  struct Load: Sendable, CustomTestStringConvertible {
    let keys: Int64
    let writers: Int

    var testDescription: String { "\(keys) keys, \(writers) writers" }
  }

  static let loads = [
    Load(keys: 100, writers: 1), Load(keys: 100, writers: 2), Load(keys: 20_000, writers: 1),
    Load(keys: 20_000, writers: 2),
  ]

  private static let rounds = repetitions("STRATA_KILLS", else: 125)

  // S-3
  @Test(arguments: Self.loads)
  func `kill -9 at any moment loses no set that returned`(load: Load) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let ledger = try Ledger(load)
    let start = monotonicSeconds()
    for round in 0..<Self.rounds {
      // Most are killed while they only set; some while they also flush; a few when the thread
      // that flushes by itself has come to its turn.
      let flushes = round % 3 == 1
      let pause = round % 25 == 24 ? 400...1_300 : flushes ? 10...120 : 5...40
      try ledger.run(flushes: flushes, milliseconds: Int.random(in: pause, using: &random))
      if let complaint = ledger.check() {
        Issue.record("seed \(seed), round \(round): \(complaint)")
        return
      }
    }
    let seconds = monotonicSeconds() - start
    print("\(load): \(Self.rounds) rounds in \(Int(seconds)) s, \(ledger.total) sets")
    #expect(ledger.total > Self.rounds)
  }
}

/// What the writers of a domain have done so far, and what must hence be found.
private final class Ledger {
  private let load: KillProcessSlowTests.Load
  private let place: Place
  private let counts: UnsafeMutablePointer<Atomic<Int64>>
  private let countsPath: String
  private(set) var total: Int64 = 0
  /// For each writer: the next number that it will set, and for each key the last that it did.
  private var next: [Int64]
  private var last: [[Int64]]

  init(_ load: KillProcessSlowTests.Load) throws {
    self.load = load
    place = try Place()
    countsPath = place.directory + "/counts"
    try place.overwrite(countsPath, [UInt8](repeating: 0, count: 4096))
    let file = open(countsPath, O_RDWR)
    defer { close(file) }
    let base = try #require(mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0))
    counts = base.assumingMemoryBound(to: Atomic<Int64>.self)
    next = Array(repeating: 0, count: load.writers)
    last = Array(repeating: Array(repeating: -1, count: Int(load.keys)), count: load.writers)
  }

  deinit { munmap(counts, 4096) }

  /// Lets the writers write for a while, kills them, and notes how far they came.
  func run(flushes: Bool, milliseconds: Int) throws {
    let writers = try (0..<load.writers).map { writer in
      try Probe([
        "write-forever", place.plist, countsPath, "\(writer)", "\(next[writer])", "\(load.keys)",
        flushes ? "1" : "0",
      ])
    }
    let starts = next
    _ = holds(within: 20) {
      starts.indices.allSatisfy { count($0) > starts[$0] } || writers.contains { hasEnded($0) }
    }
    poll(nil, 0, Int32(milliseconds))
    for writer in writers { writer.kill(SIGKILL) }
    for writer in writers { #expect(try writer.wait() == .signalled(SIGKILL)) }
    for writer in starts.indices {
      while next[writer] < count(writer) {
        last[writer][Int(next[writer] % load.keys)] = next[writer]
        next[writer] += 1
        total += 1
      }
    }
  }

  private func hasEnded(_ probe: Probe) -> Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(probe.pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0
      && info.si_signo != 0
  }

  private func count(_ writer: Int) -> Int64 { counts[writer].load(ordering: .acquiring) }

  /// What a process finds that starts now; nil when it is right.
  func check() -> String? {
    let store = place.freshStore()
    let values = store.snapshot().values
    for writer in last.indices {
      for key in last[writer].indices {
        let name = "w\(writer).\(key)"
        var found: Int64 = -1
        if case .integer(let number)? = values[name] { found = number }
        if found == last[writer][key] { continue }
        // The set that was under way when the writer died may be there or not.
        let isUnderWay = found == next[writer] && next[writer] % load.keys == Int64(key)
        guard isUnderWay else {
          return "\(name) is \(found), not \(last[writer][key]); next was \(next[writer])"
        }
        last[writer][key] = found
      }
    }
    if let issue = store.issues.first { return "\(issue)" }
    return StoreCheck(place.paths).findings.first { $0.severity == .broken }.map { "\($0)" }
  }
}
