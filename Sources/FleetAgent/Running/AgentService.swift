package import FleetModel
package import RevisionedStore
import StrataDomains
import StrataPropertyList
import StrataStorage

/// Runs an agent: follows the store, applies what changes, and reports that.
package actor AgentService {
  /// What an agent tells those who run it.
  package enum Event: Equatable, Sendable {
    /// The host's files are as the last known state says; the store was not asked yet.
    case started(revision: Int64)
    /// The host has what the store says, up to this revision.
    case applied(revision: Int64, changedFiles: Int)
    /// The store is another one, or was restored from a backup. All is read anew, and what it no
    /// longer has, or has in an older version, stays in force.
    case rebuilt(from: Int64, to: Int64)
    case lost(StoreError)
    case restored
    case problem(String)
    /// It works; reported at least once a minute.
    case alive
  }

  private var agent: Agent
  private let store: any RevisionedStore
  private let sleep: @Sendable (Duration) async -> Void
  private let report: @Sendable (Event) -> Void
  /// The problems that were reported last, each of which is reported once.
  private var known: Set<String> = []
  private var isLost = false
  /// The missing right that was reported; nil if none is missing.
  private var denial: StoreError?
  /// Follows until other ranges are to be followed.
  private var following: Task<Void, Never>?
  /// Waits for the next end of a value.
  private var timer: Task<Void, Never>?
  private let statusRequests = AsyncStream.makeStream(
    of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private var isStatusDue = false
  private var interval = ReportInterval()
  private var spread = ReportSpread()

  /// - Parameter report: is called for each event, in order.
  package init(
    _ settings: AgentSettings, _ store: any RevisionedStore,
    sleep: @escaping @Sendable (Duration) async -> Void = Follower.sleep,
    report: @escaping @Sendable (Event) -> Void
  ) {
    agent = Agent(settings)
    self.store = store
    self.sleep = sleep
    self.report = report
  }

  package var status: HostStatus { agent.status }

  /// The agent's figures in the text form of Prometheus.
  package var metrics: String { AgentMetrics.text(of: agent, isConnected: !isLost) }

  // -- Once

  /// Applies what the store says now and reports the status, for images, cron and tests.
  ///
  /// Without the store, applies what is known.
  package func runOnce() async throws(StoreError) {
    apply()
    for _ in 0..<Self.readsMax {
      let ranges = agent.state.ranges
      do throws(StoreError) {
        adopt(try await store.read(ranges))
      } catch {
        if let cause = await cause(of: error, ranges) { throw cause }
      }
      if agent.state.ranges == ranges { break }
    }
    apply()
    try await putStatus()
  }

  /// The first read may find a record with other layers, and the second a newer one.
  private static let readsMax = 5

  // -- Until the task is cancelled

  package func run() async {
    apply()
    report(.started(revision: agent.state.revision))
    await withTaskGroup { group in
      group.addTask { await self.followAll() }
      group.addTask { await self.keepTime() }
      group.addTask { await self.keepStatus() }
    }
  }

  /// Follows the ranges of the host, which its record can change.
  private func followAll() async {
    while !Task.isCancelled {
      let ranges = agent.state.ranges
      // The one before may have been cancelled before it could say that the store is back.
      let followed = FollowedStore(store: store) { await self.causeToFollow($0, ranges) }
      let follower = Follower(followed, pauseMax: 60_000, sleep: sleep)
      let task = Task { [isLost] in
        await follower.follow(ranges, isLost: isLost) { update in
          await self.receive(update, of: ranges)
        }
      }
      following = task
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }

  private func receive(_ update: FollowUpdate, of ranges: [KeyRange]) {
    guard agent.state.ranges == ranges else { return }
    switch update {
    case .snapshot(let snapshot):
      denial = nil
      adopt(snapshot)
    case .changes(let batch): agent.adopt(batch)
    case .lost(let error):
      isLost = true
      spread.didLoseServer()
      report(.lost(error))
      return writeMetrics()
    case .restored:
      isLost = false
      denial = nil
      if isStatusDue { askForStatus() }
      report(.restored)
      return writeMetrics()
    }
    if agent.state.ranges == ranges { apply() } else { following?.cancel() }
  }

  private func adopt(_ snapshot: StoreSnapshot) {
    if agent.state.isRebuilt(in: snapshot) {
      report(.rebuilt(from: agent.state.revision, to: snapshot.revision))
    }
    agent.adopt(snapshot)
  }

  // -- Without rights

  /// Why the store does not do what it was asked to; nil if other ranges are to be asked for.
  ///
  /// It refuses all ranges for one that is forbidden, such as that of a group that the host has
  /// left while it was away, or of its own operating system if its record names another. So the
  /// record is read alone.
  private func cause(of error: StoreError, _ ranges: [KeyRange]) async -> StoreError? {
    guard case .permissionDenied(let text) = error else { return error }
    do throws(StoreError) {
      let snapshot = try await store.read([agent.state.recordRange])
      if agent.state.ranges == ranges { agent.adoptRecord(from: snapshot) }
    } catch {
      guard case .permissionDenied = error else { return error }
    }
    if agent.state.ranges != ranges { return nil }
    return .permissionDenied("\(text); \(grantAdvice)")
  }

  private var grantAdvice: String {
    "give the host its rights: defaults fleet enroll \(agent.settings.host) --grant"
  }

  /// The same for who follows the ranges, which is ended if there are others.
  private func causeToFollow(_ error: StoreError, _ ranges: [KeyRange]) async -> StoreError {
    guard let cause = await cause(of: error, ranges) else {
      following?.cancel()
      return error
    }
    guard case .permissionDenied = cause else { return cause }
    // A follower that has reported another error reports no further one.
    if isLost, denial != cause { report(.lost(cause)) }
    denial = cause
    return cause
  }

  // -- The time

  /// Ends values when their time is over, and tries again what went wrong.
  private func keepTime() async {
    while !Task.isCancelled {
      writeMetrics()
      report(.alive)
      let pause = Duration.milliseconds(Int64(pause * 1_000))
      let task = Task { [sleep] in await sleep(pause) }
      timer = task
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }
      // Woken early, it only reckons the time anew.
      if !task.isCancelled { apply() }
      if isStatusDue || interval.isDue(at: agent.settings.now().secondsSinceReference) {
        askForStatus()
      }
    }
  }

  /// Seconds until the next look: at the next end, and at least once a minute.
  private var pause: Double {
    guard let end = agent.nextEnd else { return 60 }
    let now = agent.settings.now()
    return min(60, max(0.01, end.secondsSinceReference - now.secondsSinceReference))
  }

  private func apply() {
    let (before, end, ranges) = (agent.fileChanges, agent.nextEnd, agent.state.ranges)
    agent.apply()
    // A state that could not be read before may say which operating system the host has.
    if agent.state.ranges != ranges { following?.cancel() }
    // The time to wait for may be nearer now.
    if agent.nextEnd != end { timer?.cancel() }
    let problems = Set(agent.problems.map(\.description))
    for problem in problems.subtracting(known).sorted() { report(.problem(problem)) }
    let changed = agent.fileChanges - before
    if agent.isInformed, changed > 0 || problems != known || lastReported != agent.state.revision {
      isStatusDue = true
      askForStatus()
      report(.applied(revision: agent.state.revision, changedFiles: changed))
      lastReported = agent.state.revision
    }
    known = problems
    writeMetrics()
  }

  private var lastReported: Int64 = 0

  // -- Figures

  private var metricsProblem: String?

  private func writeMetrics() {
    guard let path = agent.settings.metricsFile else { return }
    do throws(StorageError) {
      try WholeFile(path).replace(by: Array(metrics.utf8), mode: 0o644)
      metricsProblem = nil
    } catch {
      let text = FleetProblem(path, error.description).description
      if text != metricsProblem { report(.problem(text)) }
      metricsProblem = text
    }
  }

  // -- Status

  private func askForStatus() { statusRequests.continuation.yield() }

  /// Reports after each change, and at least every quarter of an hour, at a random moment: so that
  /// thousands of hosts do not report at once.
  private func keepStatus() async {
    for await _ in statusRequests.stream {
      await sleep(.milliseconds(Int64.random(in: 0..<spread.milliseconds)))
      if Task.isCancelled { return }
      guard agent.isInformed, !isLost else { continue }
      isStatusDue = false
      do throws(StoreError) {
        try await putStatus()
        statusProblem = nil
        interval.didReport(at: agent.settings.now().secondsSinceReference)
      } catch {
        // The next look tries again.
        isStatusDue = true
        reportRefusal(error)
      }
    }
  }

  private var statusProblem: String?

  /// Reports why the store does not take the status, once until it does. That it can't be reached
  /// is reported by the follower.
  private func reportRefusal(_ error: StoreError) {
    var text = "the status can't be reported: \(error)"
    switch error {
    case .unavailable, .outcomeUnknown, .cancelled: return
    case .permissionDenied: text += "; " + grantAdvice
    default: break
    }
    let problem = FleetProblem(FleetKey.status(agent.settings.host).text, text).description
    if problem != statusProblem { report(.problem(problem)) }
    statusProblem = problem
  }

  private func putStatus() async throws(StoreError) {
    let host = agent.settings.host
    let bytes: [UInt8]
    do throws(FleetProblem) {
      bytes = try agent.status.bytes(of: host)
    } catch {
      return report(.problem(error.description))
    }
    let result = try await store.commit(
      StoreTransaction(operations: [.put(key: FleetKey.status(host).text, value: bytes)]))
    if case .committed(let revision) = result { spread.didReport(at: revision) }
  }
}
