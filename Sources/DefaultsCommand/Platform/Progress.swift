/// Shows the progress of long work on one line of a terminal; does nothing elsewhere.
package final class Progress {
  private let console: any Console
  private let isOn: Bool
  private let what: String
  private var isShown = false

  package init(_ what: String, on console: any Console, isQuiet: Bool) {
    self.console = console
    self.what = what
    isOn = !isQuiet && console.isTerminal(.error) && console.environment("TERM") != "dumb"
  }

  deinit { clear() }

  package func show(_ name: String, _ done: Int, of count: Int) {
    write("\r\u{1B}[K\(what) \(done + 1) of \(count): \(name.prefix(40))")
    isShown = true
  }

  package func show(_ step: String) {
    write("\r\u{1B}[K\(what): \(step)")
    isShown = true
  }

  package func clear() {
    if isShown { write("\r\u{1B}[K") }
    isShown = false
  }

  private func write(_ text: String) {
    guard isOn else { return }
    do {
      try console.write(text, to: .error)
    } catch {
      // The work can go on without showing its progress.
    }
  }
}
