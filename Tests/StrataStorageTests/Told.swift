import Dispatch
import StrataStorage
import StrataTesting

/// Collects what a watched store tells, and waits for it.
final class Delivery: Sendable {
  private let changes = Guarded<[Change]>([])
  private let news = DispatchSemaphore(value: 0)

  func take(_ new: [Change]) {
    changes.withLock { $0 += new }
    news.signal()
  }

  /// Whether this is told, whatever else is.
  func hears(_ change: Change, within seconds: Double = 600) -> Bool {
    let end = DispatchTime.now() + seconds
    while true {
      if changes.withLock({ $0.contains(change) }) { return true }
      if news.wait(timeout: end) == .timedOut { return false }
    }
  }

  /// All that was told when the last of it is what `isLast` looks for.
  func wait(until isLast: (Change) -> Bool) -> [Change]? {
    while true {
      let told = changes.withLock { $0 }
      if let last = told.last, isLast(last) { return told }
      if news.wait(timeout: .now() + 600) == .timedOut { return nil }
    }
  }
}
