import CStrata

/// Where lines for a person go: to the standard error, unless the program sets a handler.
///
/// While one of our locks is held, nothing may block and no foreign code may run: then a thread of
/// ours writes the lines, or hands them to the handler, in order. The end of the program waits for
/// that thread, but not for ever: a pipe that nobody reads takes no lines.
package enum Log {
  // Safety: guarded by `lock`.
  nonisolated(unsafe) private static var handler: (@Sendable (String) -> Void)?
  nonisolated(unsafe) private static var waiting: [Line] = []
  nonisolated(unsafe) private static var leftOut = 0
  nonisolated(unsafe) private static var isRunning = false
  nonisolated(unsafe) private static var end: Int64?
  nonisolated(unsafe) private static var forks = ProcessEvents.forks
  private static let lock = Lock(.log)
  private static let delivered = Alarm()

  private struct Line {
    let text: String
    let handler: (@Sendable (String) -> Void)?
  }

  /// The maximum of lines that wait; any more are only counted.
  private static let waitingMax = 1_000
  /// How long the end of the program waits, in all, in nanoseconds.
  private static let patience: Int64 = 3_000_000_000

  /// Hands every later line to `handler`; nil restores the standard error.
  package static func hand(to handler: (@Sendable (String) -> Void)?) {
    let old = lock.withLock {
      defer { self.handler = handler }
      return self.handler
    }
    withExtendedLifetime(old) {}  // its end may run foreign code
  }

  /// Writes a line at once if that need not wait, otherwise like `writeLater`. The caller must hold
  /// none of our locks.
  package static func write(_ line: String) {
    let isIdle = lock.withLock {
      if forks != ProcessEvents.forks { forgetParent() }
      return handler == nil && waiting.isEmpty && !isRunning
    }
    if isIdle, ProcessEvents.takes(line) { ProcessEvents.log(line) } else { writeLater(line) }
  }

  /// Has a thread write a line, for callers that hold a lock.
  package static func writeLater(_ line: String) {
    registerOnce
    let mustStart = lock.withLock {
      if forks != ProcessEvents.forks { forgetParent() }
      if waiting.count < waitingMax {
        waiting.append(Line(text: line, handler: handler))
      } else {
        leftOut += 1
      }
      defer { isRunning = true }
      return !isRunning
    }
    // Without a thread the line waits for the next one, or for the end of the program.
    if mustStart, !Thread.start(deliver) { lock.withLock { isRunning = false } }
  }

  /// Waits until all lines are written, or until that takes too long, at the end of the program.
  package static func drain() {
    let end = lock.withLock {
      let end = self.end ?? strata_coarse_now() + patience
      self.end = end
      return end
    }
    while true {
      let ticket = delivered.ticket
      let (isDone, isStuck) = lock.withLock {
        let isOurs = forks == ProcessEvents.forks
        return (!isOurs || waiting.isEmpty && !isRunning, isOurs && !isRunning)
      }
      if isDone { return }
      if isStuck { return deliverWithoutThread() }
      let now = strata_coarse_now()
      if now >= end { return }
      delivered.sleep(ticket, atMost: end - now)
    }
  }

  /// Writes the lines itself, where no thread could be started and the program ends.
  private static func deliverWithoutThread() {
    lock.withLock { isRunning = true }
    deliver()
  }

  private static let registerOnce: Void = ProcessEvents.onExit { Log.drain() }

  private static func deliver() {
    while let line = next() {
      if let handler = line.handler { handler(line.text) } else { ProcessEvents.log(line.text) }
    }
    delivered.wake()
  }

  private static func next() -> Line? {
    lock.withLock {
      if leftOut > 0, waiting.count < waitingMax {
        waiting.append(
          Line(text: "\(leftOut) lines were dropped because nobody read them", handler: handler))
        leftOut = 0
      }
      guard !waiting.isEmpty else {
        isRunning = false
        return nil
      }
      return waiting.removeFirst()
    }
  }

  /// In a child of `fork`: the thread, and the lines that wait for it, are the parent's.
  private static func forgetParent() {
    forks = ProcessEvents.forks
    waiting.removeAll()
    leftOut = 0
    isRunning = false
  }
}
