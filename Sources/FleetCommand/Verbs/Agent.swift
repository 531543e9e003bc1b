import DefaultsCommand
import FleetAgent
import FleetModel
import RevisionedStore
import StrataDomains
import StrataPropertyList
import StrataStorage

/// Applies the policies of this host.
extension FleetVerb {
  static let agent = FleetVerb(
    lasting: "agent",
    forms: [Form(summary: "applies the policies of this host, until it is ended")],
    options: [.once, .agentHost, .os, .state, .metrics, .trustClock] + CommandOption.store,
    notes: [
      "Writes the files of the managed and recommended settings, from which programs take them at "
        + "once. It fails static: without the store, what was applied last stays in force, also "
        + "after a restart. Files that it did not write stay as they are, and are reported.",
      "With --once, applies and reports once, and exits with 1 if the store can't be reached or "
        + "anything is wrong. Otherwise it runs until SIGTERM or SIGINT; SIGHUP has it read where "
        + "the store is, and its certificates, again. Events are printed on the standard error, a "
        + "line each.",
      "The service defaults-fleet-agent.service runs it, with its state in /var/lib/strata-fleet. "
        + "The host's name in the store is taken from --host or the key Host of the domain "
        + "strata.fleet, and is that of the machine otherwise.",
    ],
    run: AgentRun.run)
}

extension CommandOption {
  static let once = CommandOption("once", nil, "applies and reports once, and ends")
  static let agentHost = CommandOption("host", "<name>", "the host's name in the store")
  static let state = CommandOption(
    "state", "<directory>", kind: .file, "where it keeps what it knows")
  static let metrics = CommandOption(
    "metrics", "<file>", kind: .file, "keeps its figures there, in the text form of Prometheus")
  static let trustClock = CommandOption(
    "trust-clock", nil, "believes the clock even if it is far ahead of the last time")
}

private enum AgentRun {
  static func run(
    _ call: Call, _ connect: @escaping FleetCall.Connect
  ) async throws(Failure) -> ExitCode {
    let settings = try settings(call)
    let location = try StoreLocation(call)
    let log = AgentLog(call.session.console)
    let store = LateStore { () throws(StoreError) in try connect(location) }
    if call.has(.once) { return try await runOnce(settings, store, log) }
    var program = AgentProgram(settings, store, log, call, connect)
    try await program.run()
    return .success
  }

  private static func runOnce(
    _ settings: AgentSettings, _ store: any RevisionedStore, _ log: AgentLog
  ) async throws(Failure) -> ExitCode {
    let service = AgentService(settings, store) { log.note($0) }
    do throws(StoreError) {
      try await service.runOnce()
    } catch {
      throw Failure(error)
    }
    return await service.status.problems.isEmpty ? .success : .failure
  }

  private static func settings(_ call: Call) throws(Failure) -> AgentSettings {
    let (console, surroundings) = (call.session.console, call.session.process.surroundings)
    guard surroundings.userID == 0 || Places(of: surroundings).isSystemDirectoryReplaced else {
      throw Failure(
        "the agent writes /etc/defaults, and needs root for that; to try it without, set "
          + "\(Places.systemVariable) to a directory of your own")
    }
    let people = surroundings.userID == 0 ? PasswordFile("/etc/passwd") : nil
    let state = call.value(of: .state) ?? console.environment("STATE_DIRECTORY")
    return AgentSettings(
      host: try host(call), os: try operatingSystem(call),
      version: Program.version,
      stateDirectory: try absolute(state ?? "/var/lib/strata-fleet"),
      surroundings: surroundings, metricsFile: call.value(of: .metrics),
      users: { people?.people ?? [] },
      findUser: { console.user(named: $0) }, now: { console.date },
      trustsClock: call.has(.trustClock))
  }

  private static func host(_ call: Call) throws(Failure) -> String {
    let settings = try FleetSettings(call.session)
    let name = try settings.text(call, .agentHost, .host) ?? call.session.console.hostName
    guard PlainName.isValid(name) else {
      throw Failure(
        "\(name.debugDescription) can't be the name of a host; \(PlainName.rule); use --host")
    }
    return name
  }

  private static func absolute(_ path: String) throws(Failure) -> String {
    if let path = AbsolutePath.tidied(path) { return path }
    throw Failure("\(ShownName.text(of: path)) is not the absolute path of a directory")
  }

  private static func operatingSystem(_ call: Call) throws(Failure) -> String? {
    if let name = call.value(of: .os) {
      if PlainName.isValid(name) { return name }
      throw Failure(
        "\(name.debugDescription) can't be the name of an operating system; \(PlainName.rule)")
    }
    do throws(StorageError) {
      return try HostFiles.operatingSystem()
    } catch {
      throw Failure("which operating system this is, is not known; use --os\n\(error.description)")
    }
  }
}
