import CBench
import Foundation
import Synchronization

/// This thread and another one that do the same at the same time.
final class Pair: @unchecked Sendable {
  typealias Work = @Sendable (_ operations: Int, _ thread: Int) throws -> Void

  // Safety: written while the other thread waits for `go`, read by it after that.
  private var work: Work = { _, _ in }
  private var operations = 0
  private var other: Result<ClosedRange<Int64>, any Error> = .success(0...0)

  private let go = DispatchSemaphore(value: 0)
  private let done = DispatchSemaphore(value: 0)
  private let arrived = Atomic<Int>(0)

  init() {
    bench_stay(-1)
    let thread = Thread { [self] in
      bench_stay(1)
      while true {
        go.wait()
        other = Result { try runHere(1) }
        done.signal()
      }
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  /// - Returns: nanoseconds for one operation, of which each thread does `operations`.
  func run(_ operations: Int, _ work: @escaping Work) throws -> Double {
    self.work = work
    self.operations = operations
    arrived.store(0, ordering: .sequentiallyConsistent)
    bench_stay(0)
    defer { bench_stay(-1) }
    go.signal()
    let own = Result { try runHere(0) }
    done.wait()
    let (first, second) = (try own.get(), try other.get())
    let start = min(first.lowerBound, second.lowerBound)
    let end = max(first.upperBound, second.upperBound)
    return Double(end - start) / Double(2 * operations)
  }

  private func runHere(_ thread: Int) throws -> ClosedRange<Int64> {
    let prepared = Result { try work(1, thread) }
    arrived.add(1, ordering: .sequentiallyConsistent)
    while arrived.load(ordering: .sequentiallyConsistent) < 2 { bench_pause() }
    try prepared.get()
    let start = bench_now()
    try work(operations, thread)
    return start...bench_now()
  }
}
