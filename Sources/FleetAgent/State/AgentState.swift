package import FleetModel
package import RevisionedStore
import StrataDomains
package import StrataPropertyList

/// What an agent knows: the last valid policies and record of its host.
///
/// It fails static. What the store no longer has, or has in a form that can't be used, stays in
/// force; a policy is lifted by a version without values, and by nothing else.
package struct AgentState: Equatable, Sendable {
  /// A policy as it was received.
  struct Held: Equatable, Sendable {
    var bytes: [UInt8]
    var policy: Policy
  }

  package private(set) var facts: HostFacts
  /// Whether the store has ever had a record of this host.
  package private(set) var hasRecord = false
  /// By their keys in the store.
  private(set) var held: [String: Held] = [:]
  /// The size of all of them.
  private var heldSize = 0
  package var revision: Int64 = 0
  /// The number of the store that had that revision; 0 if it has none.
  var store: UInt64 = 0
  /// Values that were set once, each by the text of user, domain, key, policy and version.
  package var done: Set<String> = []
  /// Values that are about to be set once, by the same texts: what their key had before, which is
  /// nothing or one value.
  package var pending: [String: [PropertyListValue]] = [:]
  /// Policies for which values were set once, and which the host has no more: in the order in which
  /// that was noticed.
  var departed: [String] = []
  /// Until when it is not known what was set once, since an earlier state could not be read.
  package var onceUnknownUntil: PropertyListDate?
  /// A time at which the agent is known to have worked, at most a day before the latest, with the
  /// same values; nil if it never did.
  package var lastTime: PropertyListDate?
  /// What is wrong with values of the store, by their keys.
  var storeProblems: [String: [FleetProblem]] = [:]

  package init(host: String, os: String?) { facts = HostFacts(name: host, ownOS: os) }

  /// Whether the host's operating system is known, by its record or by itself.
  var knowsOS: Bool { facts.layers.contains { $0.kind == .os } }

  package var policies: [Policy] { held.values.map(\.policy) }

  /// Whether this one and another say the same of the values that the host has at some time.
  func hasSamePolicies(as other: AgentState) -> Bool {
    held == other.held && facts == other.facts && hasRecord == other.hasRecord
  }

  package var problems: [FleetProblem] {
    storeProblems.sorted { $0.key < $1.key }.flatMap(\.value)
  }

  /// What the agent watches: its record, and the policies of its layers.
  package var ranges: [KeyRange] { FleetKey.readable(by: facts) }

  /// The record alone, which a host may always read.
  package var recordRange: KeyRange { .key(recordKey) }

  /// All policies together may be so large.
  package static let (policiesMax, sizeMax) = (4_096, 32 << 20)

  /// Takes over what only an earlier state knows; the store knows the rest better.
  mutating func remember(_ earlier: AgentState) {
    done.formUnion(earlier.done)
    pending.merge(earlier.pending) { $1 }
    departed = earlier.departed
    onceUnknownUntil = earlier.onceUnknownUntil
    if let time = earlier.lastTime { didWork(at: time) }
    facts.ownOS = facts.ownOS ?? earlier.facts.ownOS
  }

  // -- What the store says

  /// Whether the store is another one, or has lost changes, since it was heard of last.
  package func isRebuilt(in snapshot: StoreSnapshot) -> Bool {
    let isOther = store != 0 && snapshot.store != 0 && store != snapshot.store
    return isOther || snapshot.revision < revision
  }

  /// Takes over all that there is in the ranges.
  package mutating func adopt(_ snapshot: StoreSnapshot) {
    let asked = ranges
    let found = Set(snapshot.values.map(\.key))
    for key in held.keys where !found.contains(key) { reportMissing(key) }
    for key in storeProblems.keys where !found.contains(key) && held[key] == nil {
      storeProblems[key] = nil
    }
    if hasRecord, !found.contains(recordKey) { reportMissing(recordKey) }
    // The record says which layers are the host's.
    for value in snapshot.values where value.key == recordKey { adopt(value) }
    for value in snapshot.values where value.key != recordKey { adopt(value, asked) }
    revision = snapshot.revision
    store = snapshot.store
  }

  /// Takes over the record alone, while nothing else may be read. The revision stays: what else
  /// there is up to a later one is not known.
  package mutating func adoptRecord(from snapshot: StoreSnapshot) {
    if let value = snapshot.values.first(where: { $0.key == recordKey }) {
      adopt(value)
    } else if hasRecord {
      reportMissing(recordKey)
    }
  }

  /// Takes over changes.
  package mutating func adopt(_ batch: WatchBatch) {
    let asked = ranges
    // A host that left a group and joined it again has missed nothing, and forgets nothing.
    if let record = batch.events.last(where: isOfRecord) { adopt(record, asked) }
    for event in batch.events where !isOfRecord(event) { adopt(event, asked) }
    // Ranges without changes are not told how far the store is, so the last change counts.
    revision = max(revision, batch.revision, batch.events.map(\.revision).max() ?? 0)
  }

  private func isOfRecord(_ event: WatchBatch.Event) -> Bool { event.key == recordKey }

  private mutating func adopt(_ event: WatchBatch.Event, _ asked: [KeyRange]) {
    switch event {
    case .put(let value): adopt(value, asked)
    case .deleted(let key, _):
      let isKnown = key == recordKey ? hasRecord : held[key] != nil
      if isKnown { reportMissing(key) } else { storeProblems[key] = nil }
    }
  }

  private var recordKey: String { FleetKey.host(facts.name).text }

  private mutating func reportMissing(_ key: String) {
    storeProblems[key] = [
      FleetProblem(key, "it is not in the store any more; what it said stays in force")
    ]
  }

  /// - Parameter asked: the ranges for which the store was asked.
  mutating func adopt(_ value: StoredValue, _ asked: [KeyRange] = []) {
    if let layer = FleetKey.livePart(of: value.key)?.layer, !isOurs(layer),
      asked.contains(where: { $0.contains(value.key) })
    {
      // The record says since that this layer is not the host's any more.
      storeProblems[value.key] = nil
      return
    }
    do throws(FleetProblem) {
      if value.key == recordKey {
        try adoptRecord(value)
      } else {
        try adoptPolicy(value)
      }
    } catch {
      storeProblems[value.key] = [error]
    }
  }

  private mutating func adoptRecord(_ value: StoredValue) throws(FleetProblem) {
    let (record, problems, isWhole) = try HostRecord.decode(value.value, of: facts.name)
    storeProblems[value.key] = problems.isEmpty ? nil : problems
    // What can't be read of it could be a group: the host has not left that.
    if hasRecord, !isWhole { return }
    facts.record = record
    hasRecord = isWhole
    forgetOtherLayers()
  }

  private func isOurs(_ layer: PolicyLayer) -> Bool {
    facts.layers.contains(layer) || facts.userLayers.contains(layer)
  }

  private mutating func adoptPolicy(_ value: StoredValue) throws(FleetProblem) {
    let (policy, problems) = try Policy.decode(value.value, key: value.key)
    guard isOurs(policy.name.layer) else {
      throw FleetProblem(value.key, "this host is not in layer \(policy.name.layer.text)")
    }
    let old = held[value.key]
    if let (new, known) = old.flatMap({ policy.numbers(olderThan: $0.policy) }) {
      throw FleetProblem(
        value.key,
        "version \(new) is older than version \(known), which stays in force; if the store was "
          + "restored from a backup, publish the policy with --renew")
    }
    let size = heldSize - (old?.bytes.count ?? 0) + value.value.count
    if old == nil && held.count >= Self.policiesMax || size > Self.sizeMax {
      throw FleetProblem(
        value.key, "this host has more than \(Self.policiesMax) policies or \(Self.sizeMax) bytes")
    }
    held[value.key] = Held(bytes: value.value, policy: policy)
    heldSize = size
    storeProblems[value.key] = problems.isEmpty ? nil : problems
  }

  /// Leaving a group ends its policies.
  private mutating func forgetOtherLayers() {
    let layers = Set(facts.layers + facts.userLayers)
    for (key, held) in held where !layers.contains(held.policy.name.layer) {
      self.held[key] = nil
      heldSize -= held.bytes.count
      storeProblems[key] = nil
    }
  }

  // -- Time

  /// A clock this far ahead of the remembered time is not believed. It is a day more than a year,
  /// since that time may be a day old: a host that was off for a year has a clock that is right.
  package static let leapMax = 366.0 * 86_400

  /// 2026-01-01, when there was no agent yet. A clock that says less was not set since the host was
  /// started, and what was remembered of it says nothing of how far ahead a later one is.
  private static let timeMin = 788_918_400.0

  /// An agent that has nothing to do does not write its state each minute for the time alone.
  private static let timeAgeMax = 86_400.0

  /// Remembers a time by a clock that was believed, if the one that is remembered is a day old or a
  /// value has ended since: while a clock is not believed, the remembered time counts, and what has
  /// ended must not come back by that. A clock that was set back since is no reason to forget it:
  /// then, what is right again would be a leap.
  mutating func didWork(at time: PropertyListDate) {
    if let lastTime {
      let age = time.secondsSinceReference - lastTime.secondsSinceReference
      let end = Evaluation(policies, on: facts, at: lastTime).nextEnd?.secondsSinceReference
      if age < Self.timeAgeMax, end ?? .infinity > time.secondsSinceReference { return }
    }
    lastTime = time
  }

  /// The time by which values end, and what is wrong with the clock.
  ///
  /// A clock that is set far ahead would lift all policies with an end.
  package func time(
    _ now: PropertyListDate
  ) -> (time: PropertyListDate, problem: FleetProblem?) {
    guard let lastTime, lastTime.secondsSinceReference >= Self.timeMin,
      !(now.secondsSinceReference <= lastTime.secondsSinceReference + Self.leapMax)
    else { return (now, nil) }
    return (
      lastTime,
      FleetProblem(
        "clock",
        "it is more than a year ahead of the last time that the agent worked, so no value ends; "
          + "set the clock, or start the agent once with --trust-clock")
    )
  }
}

extension Policy {
  /// The numbers by which this one is older; nil if it is not.
  ///
  /// What is on all hosts never goes back to an earlier version either: to go back is a new one.
  func numbers(olderThan other: Policy) -> (own: Int64, others: Int64)? {
    let pairs = [
      (lastNumber, other.lastNumber), (stable?.number ?? 0, other.stable?.number ?? 0),
    ]
    return pairs.first { $0.0 < $0.1 }
  }
}
