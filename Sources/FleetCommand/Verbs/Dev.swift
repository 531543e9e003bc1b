import DefaultsCommand
import FleetAgent
import FleetModel
import RevisionedStore
import StrataDomains
import StrataPropertyList
import StrataStorage

/// Runs a store and an agent of its own, for trying things out.
extension FleetVerb {
  static let dev = FleetVerb(
    lasting: "dev",
    forms: [Form(summary: "runs a store and an agent of its own, to try things out")],
    options: [.keep, .quiet],
    notes: [
      "Needs etcd and openssl. All is in a directory of its own, which is removed at the end "
        + "unless --keep is given; nothing outside of it changes. Prints what to type in another "
        + "terminal. Ends on Ctrl-C."
    ],
    run: Dev.run)
}

extension CommandOption {
  static let keep = CommandOption("keep", nil, "keeps the directory at the end")
}

private enum Dev {
  static func run(
    _ call: Call, _ connect: @escaping FleetCall.Connect
  ) async throws(Failure) -> ExitCode {
    let session = call.session
    let directory = try TrialDirectory(session.console)
    defer { if !call.has(.keep) { directory.remove() } }
    session.note("making certificates and starting etcd")
    let trial = try TrialStore(in: directory.path, session.console)
    defer { trial.end() }
    let store = try trial.location.store(connect)
    let console = session.console
    let end = Task { await endRequest(console) }
    guard try await hasStarted(trial, store, before: end) else { return .success }
    try directory.fill(trial.location)

    let log = AgentLog(session.console)
    let host = PlainName.isValid(session.console.hostName) ? session.console.hostName : "this-host"
    let service = AgentService(settings(host, directory, session), store) { log.note($0) }
    let task = Task { await service.run() }
    try session.print(directory.instructions(host, trial.location))
    _ = try await end.value.get()
    task.cancel()
    await task.value
    return .success
  }

  private static func endRequest(_ console: any Console) async -> Result<EndRequest, Failure> {
    do throws(Failure) {
      return .success(try await AgentProgram.endRequest(console))
    } catch {
      return .failure(error)
    }
  }

  /// Waits until the store answers.
  ///
  /// - Returns: false if the end was asked for first.
  private static func hasStarted(
    _ trial: TrialStore, _ store: any RevisionedStore,
    before end: Task<Result<EndRequest, Failure>, Never>
  ) async throws(Failure) -> Bool {
    let (outcomes, continuation) = AsyncStream.makeStream(of: Result<Bool, Failure>.self)
    let start = Task {
      do throws(Failure) {
        try await trial.awaitStart(store, sleep: Follower.sleep)
        continuation.yield(.success(true))
      } catch {
        continuation.yield(.failure(error))
      }
    }
    let ending = Task { continuation.yield(await end.value.map { _ in false }) }
    defer {
      start.cancel()
      ending.cancel()
    }
    for await outcome in outcomes { return try outcome.get() }
    return false
  }

  private static func settings(
    _ host: String, _ directory: TrialDirectory, _ session: Session
  ) -> AgentSettings {
    let console = session.console
    var surroundings = session.process.surroundings
    let environment = surroundings.environment
    surroundings.environment = {
      $0 == Places.systemVariable ? directory.system : environment($0)
    }
    return AgentSettings(
      host: host, version: Program.version,
      stateDirectory: Path.join(directory.path, "agent"), surroundings: surroundings,
      now: { console.date })
  }
}
