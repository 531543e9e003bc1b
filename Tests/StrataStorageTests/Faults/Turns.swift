import Dispatch
import StrataTesting

/// Threads, each of which stands for a process, and only one of which goes on at a time.
final class Turns: @unchecked Sendable {
  // Safety: whoever has the turn uses all but the semaphores.
  private let starts: [DispatchSemaphore]
  private let hasEnded = DispatchSemaphore(value: 0)
  private var current = 0
  private var random: SeededGenerator
  private var living: [Int]
  /// Who goes on only once all others have ended.
  private var stopped: Int?
  private(set) var faults: [String] = []

  init(of count: Int, seed: UInt64) {
    random = SeededGenerator(seed: seed)
    living = Array(0..<count)
    starts = living.map { _ in DispatchSemaphore(value: 0) }
    starts[0].signal()
  }

  func begin(_ own: Int) { starts[own].wait() }

  func end(_ own: Int) {
    living.removeAll { $0 == own }
    let next = living.randomElement(using: &random) ?? stopped
    if living.isEmpty { stopped = nil }
    if let next { give(to: next) } else { hasEnded.signal() }
  }

  /// Stops whoever has the turn until all others have ended.
  func stop() {
    guard let next = living.filter({ $0 != current }).randomElement(using: &random) else { return }
    let own = current
    living.removeAll { $0 == own }
    stopped = own
    pass(to: next)
  }

  /// Waits until all have ended.
  func wait() { hasEnded.wait() }

  func note(_ fault: String) { faults.append(fault) }

  /// Called by whoever has the turn: now and then lets another one go on.
  func mayPass() {
    guard let next = living.randomElement(using: &random),
      Int.random(in: 0..<4, using: &random) == 0
    else { return }
    pass(to: next)
  }

  private func pass(to next: Int) {
    let own = current
    if next == own { return }
    give(to: next)
    starts[own].wait()
  }

  private func give(to next: Int) {
    current = next
    starts[next].signal()
  }
}
