import CStrata
import StrataTesting
import Synchronization

/// Threads, each of which stands for a process, and only one of which goes on at a time.
final class Turns: @unchecked Sendable {
  // Safety: whoever has the turn uses the rest.
  private let turn = Atomic<Int>(0)
  private var random: SeededGenerator
  private var living: [Int]
  /// Who goes on only once all others have ended.
  private var stopped: Int?
  private(set) var faults: [String] = []

  private static let nobody = -1

  init(of count: Int, seed: UInt64) {
    random = SeededGenerator(seed: seed)
    living = Array(0..<count)
  }

  func begin(_ own: Int) { wait(for: own) }

  func end(_ own: Int) {
    living.removeAll { $0 == own }
    turn.store(living.randomElement(using: &random) ?? stopped ?? Self.nobody, ordering: .releasing)
    if living.isEmpty { stopped = nil }
  }

  /// Stops whoever has the turn until all others have ended.
  func stop() {
    guard let next = living.filter({ $0 != current }).randomElement(using: &random) else { return }
    let own = current
    living.removeAll { $0 == own }
    stopped = own
    turn.store(next, ordering: .releasing)
    wait(for: own)
  }

  /// Whose turn it is.
  private var current: Int { turn.load(ordering: .relaxed) }

  func wait() { wait(for: Self.nobody) }

  func note(_ fault: String) { faults.append(fault) }

  /// Called by whoever has the turn: now and then lets another one go on.
  func mayPass() {
    guard let next = living.randomElement(using: &random),
      Int.random(in: 0..<4, using: &random) == 0
    else { return }
    let own = current
    turn.store(next, ordering: .releasing)
    wait(for: own)
  }

  private func wait(for number: Int) {
    while turn.load(ordering: .acquiring) != number { strata_yield() }
  }
}
