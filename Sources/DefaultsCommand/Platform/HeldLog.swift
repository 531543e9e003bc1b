import StrataStorage

/// Holds back the log of a command that ends soon, so that what the command reports itself is not
/// logged as well.
final class HeldLog: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var lines: [String] = []
  private var omitted: Set<String> = []
  private let lock = Lock(.memory)

  /// Holds back what is logged from now on.
  init() {
    Log.hand(to: { [self] line in lock.withLock { lines.append(line) } })
  }

  /// Omits a line that the command reports itself.
  func omit(_ line: String) {
    lock.withLock { _ = omitted.insert(line) }
  }

  /// Writes the lines that were held back. Later ones are written immediately.
  func end() {
    Log.drain()
    Log.hand(to: nil)
    for line in lock.withLock({ lines.filter { !omitted.contains($0) } }) { Log.write(line) }
  }
}
