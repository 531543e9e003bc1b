import CProbe
import Glibc
import StrataStorage

/// What a store's watch told last of one key.
final class Hearing: Sendable {
  private let last: Last
  private let watch: Store.Watch

  private final class Last: Sendable {
    private let lock = Lock(.watching)
    // Safety: guarded by `lock`.
    nonisolated(unsafe) private var known = "nothing"

    var text: String {
      get { lock.withLock { known } }
      set { lock.withLock { known = newValue } }
    }
  }

  init(_ store: Store, of key: String) {
    let last = Last()
    self.last = last
    watch = store.watch { changes in
      for change in changes where change.key == key {
        last.text = text(of: change.value)
      }
    }
  }

  /// Waits until it was told this value, at most two minutes.
  func wait(for wanted: String) -> String {
    let end = nanoseconds() + 120_000_000_000
    while nanoseconds() < end, last.text != wanted { poll(nil, 0, 1) }
    return last.text
  }

  /// Has a child of `fork` end the watch, and waits for its end.
  func endInChild() -> String {
    let child = probe_fork()
    if child == 0 {
      probe_end_after(120)  // one that hangs ends with a signal
      watch.cancel()
      _exit(0)
    }
    var status: Int32 = 0
    guard waitpid(child, &status, 0) == child else { return "there is no child" }
    return status == 0 ? "ok" : "the child ended with \(status)"
  }
}
