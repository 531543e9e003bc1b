import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Writers that are stopped at any moment, as Ctrl-Z, a debugger or a frozen container does.
/// `STRATA_STOPS` says how often each of them is.
@Suite(.serialized, .waiting) struct StopProcessSlowTests {
  enum Load: CaseIterable {
    case sets, setsAndFlushes, commitsAndSynchronizes
  }

  // S-18
  @Test(arguments: Load.allCases)
  func `who is stopped at any moment holds nobody up`(load: Load) throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let place = try Place()
    let writer = try load.start(at: place)
    let rescue = Rescue(of: writer)
    let store = place.freshStore()
    let rounds = repetitions("STRATA_STOPS", else: 1_000)
    var (sets, firstReads, synchronizations) = (Waits(), Waits(), Waits())
    for round in 0..<rounds {
      usleep(UInt32.random(in: 0...80, using: &random))
      try #require(rescue.stop())
      try sets.measure { try store.set(.integer(Int64(round)), forKey: "other") }
      if round % 128 == 0 {
        firstReads.measure {
          #expect(place.freshStore().integer(forKey: "other") == Int64(round), "seed \(seed)")
        }
      }
      if round % 256 == 0 {
        synchronizations.measure { #expect(store.synchronize(), "seed \(seed)") }
      }
      #expect(!rescue.resume(), "seed \(seed), round \(round): held up until it went on")
      try #require(store.integer(forKey: "other") == Int64(round), "seed \(seed), round \(round)")
    }
    print(
      "\(load): \(rounds) stops; meanwhile sets: \(sets); first reads: \(firstReads); "
        + "synchronizations: \(synchronizations)")
    #expect(holds(within: 60) { store.flush() })
    #expect(store.issues == [])
    writer.kill(SIGKILL)
    #expect(try writer.wait() == .signalled(SIGKILL))
    #expect(place.freshStore().integer(forKey: "other") == Int64(rounds - 1))
  }
}

private extension StopProcessSlowTests.Load {
  func start(at place: Place) throws -> Probe {
    let counts = place.directory + "/counts"
    try place.overwrite(counts, [UInt8](repeating: 0, count: 4096))
    let writer: Probe
    switch self {
    case .sets: writer = try Probe(["write-forever", place.plist, counts, "0", "0", "100", "0"])
    case .setsAndFlushes:
      writer = try Probe(["write-forever", place.plist, counts, "0", "0", "100", "1"])
    case .commitsAndSynchronizes:
      writer = try Probe.serving(place.plist)
      try writer.send("commit-forever \(counts) 0 0 50 20")
    }
    let key = self == .commitsAndSynchronizes ? "w0.last" : "w0.99"
    try #require(holds(within: 60) { place.freshStore().integer(forKey: key) != nil })
    return writer
  }
}

/// How long something took.
private struct Waits: CustomStringConvertible {
  private static let limits = [1, 10, 100, 1_000]
  private var counts = Array(repeating: 0, count: limits.count)
  private var longest = 0.0

  mutating func measure(_ body: () throws -> Void) rethrows {
    let start = monotonicSeconds()
    try body()
    let seconds = monotonicSeconds() - start
    longest = max(longest, seconds)
    for (index, limit) in Self.limits.enumerated() where seconds * 1_000 > Double(limit) {
      counts[index] += 1
    }
  }

  var description: String {
    zip(Self.limits, counts).map { "\($1) over \($0) ms" }.joined(separator: ", ")
      + ", \(Int(longest * 1_000_000)) us at most"
  }
}

/// Stops a process, and lets it go on when somebody has waited for it for ten seconds: so that a
/// test that finds such a one ends.
private final class Rescue: Sendable {
  private let pid: pid_t
  private let state = Guarded(State())

  private struct State {
    var stoppedAt: Double?
    var wasRescued = false
  }

  init(of probe: Probe) {
    pid = probe.pid
    let isStarted = Thread.start { [weak self] in
      while let self {
        self.look()
        poll(nil, 0, 500)
      }
    }
    if !isStarted { Issue.record("there is no thread for a rescue") }
  }

  /// - Returns: whether the process is stopped.
  func stop() -> Bool {
    var status: Int32 = 0
    guard kill(pid, SIGSTOP) == 0, waitpid(pid, &status, WUNTRACED) == pid, status & 0xFF == 0x7F
    else { return false }
    state.withLock { $0.stoppedAt = monotonicSeconds() }
    return true
  }

  /// - Returns: whether it had to go on before.
  func resume() -> Bool {
    state.withLock { state in
      kill(pid, SIGCONT)
      state.stoppedAt = nil
      defer { state.wasRescued = false }
      return state.wasRescued
    }
  }

  private func look() {
    state.withLock { state in
      if let stop = state.stoppedAt, monotonicSeconds() - stop > 60 {
        kill(pid, SIGCONT)
        state.wasRescued = true
      }
    }
  }
}
