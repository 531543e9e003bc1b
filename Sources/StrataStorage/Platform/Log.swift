import CStrata

/// Where lines go that a person should read: the standard error, until a program says otherwise.
///
/// Under locks of ours nothing may block and no stranger be called: a thread of ours writes lines
/// that come there, or hands them to a program's handler, in their order. Whoever ends the program
/// waits for it, but not for ever: a pipe that nobody reads takes none.
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

  /// Lines that wait at most; what comes on top is counted.
  private static let waitingMax = 1_000
  /// How long the end of the program waits, all of its waits together.
  private static let patience: Int64 = 3_000_000_000

  /// Hands every later line to `handler`; nil restores what was there at the start.
  package static func hand(to handler: (@Sendable (String) -> Void)?) {
    lock.withLock { self.handler = handler }
  }

  /// Writes a line at once where that takes no waiting, else as `writeLater` does. No lock of ours
  /// may be held.
  package static func write(_ line: String) {
    let isIdle = lock.withLock {
      if forks != ProcessEvents.forks { forgetParent() }
      return handler == nil && waiting.isEmpty && !isRunning
    }
    if isIdle, ProcessEvents.takes(line) { ProcessEvents.log(line) } else { writeLater(line) }
  }

  /// Has a thread write a line; for callers that hold a lock.
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

  /// Returns when all lines are written, or when that takes too long: at the end of the program.
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

  /// Where no thread could be had, and the program ends.
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

  /// That thread, and what waits for it, are the parent's.
  private static func forgetParent() {
    forks = ProcessEvents.forks
    waiting.removeAll()
    leftOut = 0
    isRunning = false
  }
}
