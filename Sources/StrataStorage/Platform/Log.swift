/// Where lines go that a person should read: the standard error, until a program says otherwise.
///
/// Lines are written under locks of ours, where no stranger may be called: a program's handler
/// hears of them on a thread of ours, in their order.
package enum Log {
  // Safety: guarded by `lock`.
  nonisolated(unsafe) private static var handler: (@Sendable (String) -> Void)?
  nonisolated(unsafe) private static var waiting: [String] = []
  nonisolated(unsafe) private static var isRunning = false
  nonisolated(unsafe) private static var forks = ProcessEvents.forks
  private static let lock = Lock(.log)

  /// Hands every later line to `handler`; nil restores what was there at the start.
  package static func hand(to handler: (@Sendable (String) -> Void)?) {
    lock.withLock { self.handler = handler }
  }

  package static func write(_ line: String) {
    let (isHandled, mustStart) = lock.withLock {
      guard handler != nil else { return (false, false) }
      if forks != ProcessEvents.forks {
        forks = ProcessEvents.forks
        waiting.removeAll()
        isRunning = false  // that thread is the parent's
      }
      waiting.append(line)
      defer { isRunning = true }
      return (true, !isRunning)
    }
    if !isHandled { return ProcessEvents.log(line) }
    if mustStart, !Thread.start(deliver) { lock.withLock { isRunning = false } }
  }

  private static func deliver() {
    while let (line, handler) = next() { handler(line) }
  }

  private static func next() -> (String, @Sendable (String) -> Void)? {
    lock.withLock {
      guard let handler, !waiting.isEmpty else {
        waiting.removeAll()
        isRunning = false
        return nil
      }
      return (waiting.removeFirst(), handler)
    }
  }
}
