/// Colors and weights, if the output is a terminal that wants them.
package struct Style: Sendable {
  private let isOn: Bool

  package init(of console: any Console, _ stream: Stream = .output) {
    isOn =
      console.isTerminal(stream) && (console.environment("NO_COLOR") ?? "").isEmpty
      && console.environment("TERM") != "dumb"
  }

  package func bold(_ text: String) -> String { wrapped(text, "1") }
  package func dim(_ text: String) -> String { wrapped(text, "2") }
  package func red(_ text: String) -> String { wrapped(text, "31") }
  package func green(_ text: String) -> String { wrapped(text, "32") }

  private func wrapped(_ text: String, _ code: String) -> String {
    isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
