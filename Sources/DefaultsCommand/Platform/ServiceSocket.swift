import CStrata

/// The way to what started this process as a service, if anything did, and wants to know how it is:
/// systemd, by the protocol of `sd_notify`.
package struct ServiceSocket: Sendable {
  private let socket: String?
  /// Whether what is printed goes to the journal, which adds the time by itself.
  package let keepsJournal: Bool

  package init(_ console: any Console) {
    socket = console.environment("NOTIFY_SOCKET").flatMap { $0.isEmpty ? nil : $0 }
    keepsJournal = console.environment("JOURNAL_STREAM") != nil
  }

  package enum Message: Sendable {
    case ready
    case reloading
    case stopping
    /// It works; without such a word for some minutes, it is started again.
    case alive
    /// What it does at the moment, for people.
    case status(String)

    var text: String {
      switch self {
      case .ready: "READY=1"
      case .reloading: "RELOADING=1"
      case .stopping: "STOPPING=1"
      case .alive: "WATCHDOG=1"
      case .status(let text):
        "STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " ")
      }
    }
  }

  /// Tells it, if there is one: nothing depends on whether that succeeds.
  package func tell(_ message: Message) {
    guard let socket else { return }
    _ = strata_notify(socket, message.text)
  }
}
