import Foundation
import Testing

/// A point in one thread's course that another one waits for.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let name: String

  init(_ name: String) { self.name = name }

  func open() { semaphore.signal() }

  /// Waits until the gate was opened, once for each time.
  func wait() {
    if semaphore.wait(timeout: .now() + 1_800) == .timedOut {
      Issue.record("nobody opened the gate \(name)")
    }
  }
}

/// Runs the second column of an interleaving beside the first, and waits for both.
func interleave(_ first: () -> Void, with second: @escaping @Sendable () -> Void) {
  let end = Gate("end of the second column")
  let thread = Thread {
    second()
    end.open()
  }
  thread.start()
  first()
  end.wait()
}
