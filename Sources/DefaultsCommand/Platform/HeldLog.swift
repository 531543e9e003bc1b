import StrataStorage

/// The log of a command that ends soon: held back until then, so that what the command itself
/// reports is not logged, too.
enum HeldLog {
  // Safety: guarded by `lock`.
  nonisolated(unsafe) private static var isHeld = false
  nonisolated(unsafe) private static var lines: [String] = []
  nonisolated(unsafe) private static var omitted: Set<String> = []
  private static let lock = Lock(.memory)

  /// Holds later lines back.
  static func begin() {
    lock.withLock { isHeld = true }
    Log.hand(to: { line in lock.withLock { lines.append(line) } })
  }

  /// Leaves a line out, which the command reports itself.
  static func omit(_ line: String) {
    lock.withLock { if isHeld { omitted.insert(line) } }
  }

  /// Writes the lines that were held back. Later ones are written at once.
  static func end() {
    guard lock.withLock({ isHeld }) else { return }
    Log.drain()
    Log.hand(to: nil)
    let rest = lock.withLock {
      isHeld = false
      defer { lines = [] }
      return lines.filter { !omitted.contains($0) }
    }
    for line in rest { Log.write(line) }
  }
}
