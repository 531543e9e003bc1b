import Foundation
package import Testing

/// For suites that mostly wait for processes: theirs are other threads than those of the suites
/// that compute, of which there are only as many as processors.
package struct WaitingTrait: SuiteTrait, TestTrait, TestScoping {
  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(WaitingThreads.shared) { try await body() }
  }
}

extension Trait where Self == WaitingTrait {
  package static var waiting: Self { WaitingTrait() }
}

private final class WaitingThreads: TaskExecutor {
  static let shared = WaitingThreads()
  /// So many that processors do not idle while they wait, and few enough not to keep each other
  /// from being in time.
  private static let count = 4

  private let jobs = Guarded<[UnownedJob]>([])
  private let isGiven = DispatchSemaphore(value: 0)

  private init() {
    for _ in 0..<Self.count { Thread.detachNewThread { [self] in work() } }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    isGiven.signal()
  }

  private func work() {
    while true {
      isGiven.wait()
      let job = jobs.withLock { $0.removeFirst() }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
