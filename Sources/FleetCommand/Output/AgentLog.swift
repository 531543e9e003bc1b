import DefaultsCommand
import FleetAgent
import RevisionedStore
import StrataPropertyList

/// What an agent does, a line for each event, in pairs that people and programs read:
/// `event=applied revision=12 files=2`.
///
/// For the journal, each begins with its priority; elsewhere, with the time.
struct AgentLog: Sendable {
  private let console: any Console
  private let service: ServiceSocket

  init(_ console: any Console) {
    self.console = console
    service = ServiceSocket(console)
  }

  func note(_ event: AgentService.Event) {
    switch event {
    case .started(let revision):
      write(.notice, "started", [("revision", String(revision))])
      service.tell(.ready)
    case .applied(let revision, let files):
      write(
        files > 0 ? .notice : .info, "applied",
        [("revision", String(revision)), ("files", String(files))])
      service.tell(.status("applied revision \(revision)"))
    case .rebuilt(let before, let after):
      write(
        .warning, "rebuilt",
        [
          ("before", String(before)), ("revision", String(after)),
          ("text", "the store is another one, or was restored; what it no longer has stays"),
        ])
    case .lost(let error):
      write(.warning, "lost", [("text", error.description)])
      service.tell(.status("no store; what was applied stays: \(error)"))
    case .restored:
      write(.notice, "restored", [])
      service.tell(.status("connected"))
    case .problem(let text): write(.warning, "problem", [("text", text)])
    case .alive: service.tell(.alive)
    }
  }

  /// It reads its configuration again, or goes on with that which it has.
  func noteReload(_ problem: String?) {
    service.tell(.reloading)
    // Otherwise it is ready when it has begun anew.
    if problem != nil { service.tell(.ready) }
    write(
      problem == nil ? .notice : .warning, "reload",
      problem.map { [("text", $0 + "; the configuration stays as it was")] } ?? [])
  }

  func noteEnd() {
    service.tell(.stopping)
    write(.notice, "ended", [])
  }

  /// The priorities of syslog.
  private enum Priority: Int { case warning = 4, notice, info }

  private func write(_ priority: Priority, _ event: String, _ pairs: [(String, String)]) {
    let start = service.keepsJournal ? "<\(priority.rawValue)>" : "time=\(time) "
    let line = ([("event", event)] + pairs).map { "\($0)=\(Self.shown($1))" }
    do throws(Failure) {
      try console.write(start + line.joined(separator: " ") + "\n", to: .error)
    } catch {
      // Nobody reads the log; the agent works all the same.
    }
  }

  private static func shown(_ text: String) -> String {
    let isPlain =
      !text.isEmpty
      && text.utf8.allSatisfy { byte in
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "=")
      }
    return isPlain ? text : ShownName.escaped(text.debugDescription)
  }

  private var time: String {
    do throws(Failure) {
      return try LineText.text(of: .date(console.date))
    } catch {
      return "unknown"
    }
  }
}
