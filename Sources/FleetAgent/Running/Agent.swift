package import FleetModel
package import RevisionedStore
import StrataDomains
package import StrataPropertyList
package import StrataStorage

/// Applies the policies of one host, and says what it has applied. It never waits for the network.
package struct Agent: Sendable {
  package let settings: AgentSettings
  package private(set) var state: AgentState
  private let places: Places
  private let disk: Disk
  private let once: OnceValues
  private var file: StateFile
  /// Whether the file of the state could not be read; until it can, it is not replaced.
  private var isStateUnknown = false
  /// What the file of the state says; nil if it could not be read.
  private var durable: AgentState?
  /// Whether the store was heard of in this run.
  private var isInformedNow = false
  /// Whether nothing is left of an agent that died.
  private var isTidy = false
  /// What went wrong when the state was read.
  private var startProblems: [FleetProblem] = []
  /// What went wrong when the policies were last applied.
  private var applyProblems: [FleetProblem] = []
  /// The texts of the policies of which a file does not have what they say.
  private var unwritten: Set<String> = []
  /// When a value ends next.
  package private(set) var nextEnd: PropertyListDate?
  /// How many files were written or removed since the start.
  package private(set) var fileChanges = 0

  /// Reads the state. One that is malformed is kept under another name.
  ///
  /// - Parameter open: opens domains of users.
  package init(
    _ settings: AgentSettings, on disk: Disk = Disk(),
    open: @escaping @Sendable (StorePaths, StoreRules) -> Store = { Store.open($0, $1) }
  ) {
    self.settings = settings
    self.disk = disk
    places = Places(of: settings.surroundings)
    once = OnceValues(settings.surroundings, find: settings.findUser, open: open)
    file = StateFile(in: settings.stateDirectory, on: disk)
    state = AgentState(host: settings.host, os: settings.os)
    if let earlier = readState() { state = earlier }
  }

  private mutating func readState() -> AgentState? {
    startProblems = []
    isStateUnknown = true
    var earlier: AgentState?
    do throws(StorageError) {
      if let bytes = try file.read() { earlier = try decoded(bytes) }
      isStateUnknown = false
      durable = earlier ?? AgentState(host: settings.host, os: settings.os)
    } catch {
      startProblems.append(FleetProblem(file.path, "\(error.description); \(Self.waiting)"))
    }
    if settings.trustsClock { earlier?.lastTime = nil }
    return earlier
  }

  /// What can be read of a state; if that is not all, it is kept under another name.
  private mutating func decoded(_ bytes: [UInt8]) throws(StorageError) -> AgentState {
    var state = AgentState(host: settings.host, os: settings.os)
    var problem: FleetProblem?
    do throws(FleetProblem) {
      (state, problem) = try AgentState.decode(bytes, host: settings.host, os: settings.os)
    } catch {
      problem = error
    }
    guard let problem else { return state }
    let kept = try file.keep(bytes)
    startProblems.append(
      FleetProblem(
        file.path,
        "\(problem.text); it is kept as \(kept). Values for once of versions until now are set "
          + "only where a user has none; publish them again to set them everywhere"))
    state.onceUnknownUntil = settings.now()
    return state
  }

  package var problems: [FleetProblem] {
    startProblems + [osProblem].compactMap { $0 } + state.problems + applyProblems
  }

  private var osProblem: FleetProblem? {
    guard settings.os == nil, state.facts.record.os == nil, let os = state.facts.ownOS else {
      return nil
    }
    return FleetProblem(
      "operating system",
      "it can't be found out; \(os), as it was last, counts. Name it with --os")
  }

  /// Whether the store's policies were ever received.
  package var isInformed: Bool { state.revision > 0 }

  package mutating func adopt(_ snapshot: StoreSnapshot) {
    state.adopt(snapshot)
    isInformedNow = true
  }

  package mutating func adopt(_ batch: WatchBatch) {
    state.adopt(batch)
    isInformedNow = true
  }

  /// Takes over the host's record, while nothing else may be read.
  package mutating func adoptRecord(from snapshot: StoreSnapshot) {
    state.adoptRecord(from: snapshot)
  }

  /// Brings the host's files to what its policies say, and saves the state.
  package mutating func apply() {
    if isStateUnknown, let earlier = readState() { state.remember(earlier) }
    guard isInformed else { return }
    let (time, problem) = state.time(settings.now())
    let evaluation = Evaluation(state.policies, on: state.facts, at: time)
    // While the clock is not believed, the time stands still, and no end comes nearer.
    nextEnd = problem == nil ? evaluation.nextEnd : nil
    if problem == nil { state.didWork(at: time) }
    applyProblems = [problem].compactMap { $0 }
    if !isStateUnknown { state.forgetPastOnce() }
    // Durability: before the files, so that a restart without the store takes nothing back. What
    // can't be saved now is up to `EarlierValues`.
    save()
    let files = ManagedFile.all(evaluation, users: state.facts.record.users, in: places)
    let earlier = EarlierValues(state, durable: durable, isInformed: isInformedNow, at: time)
    let outcome = ManagedFileWriter(in: places, on: disk).write(
      files, afterStart: !isTidy, keeping: earlier)
    fileChanges += outcome.changed.count
    applyProblems += outcome.problems
    unwritten = outcome.unwritten
    if !isTidy { isTidy = removeDrafts() && outcome.isTidy }
    applyOnce(evaluation)
    save()
  }

  private mutating func applyOnce(_ evaluation: Evaluation) {
    if isStateUnknown { return }
    let own = state.facts.record.users
    let users = Set(own + settings.users().filter(PlainName.isValid)).sorted()
    let plans = users.map {
      once.plan(evaluation, for: $0, state)
    }
    applyProblems += plans.flatMap(\.problems)
    let due = plans.flatMap(\.due)
    if due.isEmpty { return }
    let (pending, done) = (state.pending, state.done)
    for due in due {
      state.done.formUnion(due.settled.filter(\.value).keys)
      for text in due.settled.keys { state.pending[text] = nil }
      state.pending.merge(due.before) { $1 }
    }
    // Durability: if the agent dies, its next run must know what each key had before.
    guard save() else {
      (state.pending, state.done) = (pending, done)
      return
    }
    for due in due {
      let outcome = once.set(due)
      state.done.formUnion(outcome.done)
      for text in outcome.done.union(outcome.failed) { state.pending[text] = nil }
      applyProblems += outcome.problems
    }
  }

  private mutating func removeDrafts() -> Bool {
    do throws(StorageError) {
      try file.removeDrafts()
      return true
    } catch {
      applyProblems.append(FleetProblem(file.path, error.description))
      return false
    }
  }

  private static let waiting = "until it can be, only newer values apply, and none is lifted"

  /// - Returns: whether the state is durable.
  @discardableResult private mutating func save() -> Bool {
    if isStateUnknown { return false }
    do {
      try file.write(try state.bytes())
      durable = state
      return true
    } catch {
      let problem = FleetProblem(file.path, "\(error); \(Self.waiting)")
      if !applyProblems.contains(problem) { applyProblems.append(problem) }
      return false
    }
  }

  /// What the host reports.
  package var status: HostStatus {
    let now = settings.now()
    let evaluation = Evaluation(state.policies, on: state.facts, at: now)
    // Whose values could not be written is not in force.
    let versions = evaluation.versions.filter { !unwritten.contains($0.key) }
    let lastNumbers = state.policies.filter { $0.lastNumber != versions[$0.name.text] }
      .map { ($0.name.text, $0.lastNumber) }
    return HostStatus(
      agent: settings.version, os: state.facts.ownOS, revision: state.revision, time: now,
      versions: versions, lastNumbers: Dictionary(lastNumbers) { $1 },
      problems: problems.map(\.description))
  }
}
