package import FleetModel
package import RevisionedStore
import StrataDomains
package import StrataPropertyList
import StrataStorage

/// Applies the policies of one host, and says what it has applied. It never waits for the network.
package struct Agent: Sendable {
  package let settings: AgentSettings
  package private(set) var state: AgentState
  private let places: Places
  private let file: WholeFile
  /// The state as it is on the disk.
  private var saved: [UInt8]?
  /// What went wrong when the state was read.
  private var startProblems: [FleetProblem] = []
  /// What went wrong when the policies were last applied.
  private var applyProblems: [FleetProblem] = []
  /// When a value ends next.
  package private(set) var nextEnd: PropertyListDate?
  /// How many files were written or removed since the start.
  package private(set) var fileChanges = 0

  /// Reads the state. One that can't be read is kept under another name.
  package init(_ settings: AgentSettings) {
    self.settings = settings
    places = Places(of: settings.surroundings)
    file = WholeFile(Path.join(settings.stateDirectory, "state.plist"))
    state = AgentState(host: settings.host, os: settings.os)
    do throws(StorageError) {
      guard let bytes = try file.read() else { return }
      do throws(FleetProblem) {
        state = try AgentState(bytes, host: settings.host, os: settings.os)
        saved = bytes
      } catch {
        let kept = file.path + ".unreadable"
        try WholeFile(kept).replace(by: bytes)
        startProblems.append(FleetProblem(file.path, "\(error.text); it is kept as \(kept)"))
      }
    } catch {
      startProblems.append(FleetProblem(file.path, error.description))
    }
    if settings.trustsClock { state.lastTime = nil }
  }

  package var problems: [FleetProblem] { startProblems + state.problems + applyProblems }
  /// Whether the store's policies were ever received.
  package var isInformed: Bool { state.revision > 0 }

  package mutating func adopt(_ snapshot: StoreSnapshot) { state.adopt(snapshot) }
  package mutating func adopt(_ batch: WatchBatch) { state.adopt(batch) }

  /// Brings the host's files to what its policies say, and saves the state.
  package mutating func apply() {
    guard isInformed else { return }
    let (time, problem) = state.time(settings.now())
    let evaluation = Evaluation(state.policies, on: state.facts, at: time)
    nextEnd = evaluation.nextEnd
    let files = ManagedFile.all(evaluation, users: state.facts.record.users, in: places)
    let outcome = ManagedFileWriter(in: places).write(files, mayLift: mayLift(at: time))
    fileChanges += outcome.changed.count
    applyProblems = [problem].compactMap { $0 } + outcome.problems
    applyOnce(evaluation)
    if problem == nil { state.lastTime = time }
    save()
  }

  /// Whether an earlier value may end: its policy is known, no longer for this host, or at its end.
  private func mayLift(at time: PropertyListDate) -> (Provenance.Entry) -> Bool {
    let known = Set(state.policies.map(\.name.text))
    let layers = Set((state.facts.layers + state.facts.userLayers).map(\.text))
    return { entry in
      let layer = entry.policy.split(separator: "/").first.map(String.init) ?? ""
      let isOver = entry.until.map { $0.secondsSinceReference <= time.secondsSinceReference }
      return known.contains(entry.policy) || !layers.contains(layer) || isOver == true
    }
  }

  private mutating func applyOnce(_ evaluation: Evaluation) {
    let own = state.facts.record.users
    let users = Set(own + settings.users().filter(PlainName.isValid)).sorted()
    let once = OnceValues(settings.surroundings, find: settings.findUser)
    for user in users {
      let outcome = once.apply(evaluation, to: user, except: state.done)
      state.done.formUnion(outcome.done)
      applyProblems += outcome.problems
    }
  }

  private mutating func save() {
    do {
      let bytes = try state.bytes()
      guard bytes != saved else { return }
      let disk = SystemFileSystem()
      if try disk.status(of: settings.stateDirectory) == nil {
        try disk.makeDirectory(settings.stateDirectory, mode: 0o700)
      }
      try file.replace(by: bytes)
      saved = bytes
    } catch {
      applyProblems.append(FleetProblem(file.path, "\(error)"))
    }
  }

  /// What the host reports.
  package var status: HostStatus {
    let now = settings.now()
    let evaluation = Evaluation(state.policies, on: state.facts, at: now)
    return HostStatus(
      agent: settings.version, os: settings.os, revision: state.revision, time: now,
      versions: evaluation.versions, problems: problems.map(\.description))
  }
}
