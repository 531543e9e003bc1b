import StrataDomains
import StrataStorage

/// Brings changes to where they are to be told, merged while they wait.
final class KeyChangeRelay: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var waiting: Observer.Change?
  private var isBusy = false
  private var isEnded = false
  private let lock = Lock(.memory)
  private let start: @Sendable (KeyChangeRelay) -> Void

  /// - Parameter start: goes there, and tells what `next` has until it has nothing.
  init(_ start: @escaping @Sendable (KeyChangeRelay) -> Void) { self.start = start }

  func take(_ change: Observer.Change) {
    let mustStart = lock.withLock {
      waiting = Observer.Change(
        old: waiting?.old ?? change.old, new: change.new, origin: change.origin,
        isFirst: waiting?.isFirst ?? change.isFirst)
      defer { isBusy = true }
      return !isBusy
    }
    if mustStart { start(self) }
  }

  func next() -> Observer.Change? {
    lock.withLock {
      defer { waiting = nil }
      if let waiting, !isEnded, waiting.isFirst || waiting.old != waiting.new { return waiting }
      isBusy = false
      return nil
    }
  }

  /// What waits is not told any more.
  func end() { lock.withLock { isEnded = true } }
}
