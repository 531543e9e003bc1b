import DefaultsCommand
import FleetAgent
import RevisionedStore
import StrataStorage

/// An agent that runs until it is asked to end, and begins anew when it is asked to reload.
struct AgentProgram {
  private let settings: AgentSettings
  private var store: any RevisionedStore
  private let log: AgentLog
  private let call: Call
  private let connect: FleetCall.Connect

  init(
    _ settings: AgentSettings, _ store: any RevisionedStore, _ log: AgentLog, _ call: Call,
    _ connect: @escaping FleetCall.Connect
  ) {
    self.settings = settings
    self.store = store
    self.log = log
    self.call = call
    self.connect = connect
  }

  mutating func run() async throws(Failure) {
    while true {
      let service = AgentService(settings, store) { [log] in log.note($0) }
      let task = Task { await service.run() }
      var isNew = false
      while !isNew {
        guard try await Self.endRequest(call.session.console) == .hangUp else {
          task.cancel()
          await task.value
          return log.noteEnd()
        }
        isNew = reload()
      }
      task.cancel()
      await task.value
    }
  }

  /// Reads again where the store is.
  /// - Returns: false if what is said now can't be used.
  private mutating func reload() -> Bool {
    do throws(Failure) {
      let location = try StoreLocation(call)
      store = LateStore { [connect] () throws(StoreError) in try connect(location) }
      log.noteReload(nil)
      return true
    } catch {
      log.noteReload(error.text ?? "")
      return false
    }
  }

  /// Waits for a signal on a thread of its own: those of tasks are few, and not to be blocked.
  static func endRequest(_ console: any Console) async throws(Failure) -> EndRequest {
    let request: EndRequest? = await withCheckedContinuation { continuation in
      let isStarted = Thread.start { continuation.resume(returning: console.awaitEnd()) }
      if !isStarted { continuation.resume(returning: nil) }
    }
    if let request { return request }
    throw Failure("the system has no thread to give")
  }
}
