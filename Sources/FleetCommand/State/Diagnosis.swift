import FleetModel
import RevisionedStore
import StrataPropertyList

/// What is wrong, or soon will be, with the members of a store and the hosts, and what to do.
struct Diagnosis {
  struct Finding: Equatable {
    enum Severity: String {
      case error
      case warning
    }

    let severity: Severity
    let place: String
    let text: String
    let mend: String
  }

  private(set) var findings: [Finding] = []

  mutating func add(
    _ severity: Finding.Severity, _ place: String, _ text: String, _ mend: String
  ) {
    findings.append(Finding(severity: severity, place: place, text: text, mend: mend))
  }

  // -- The store

  mutating func add(_ members: [MemberStatus]) {
    var leaders: [String] = []
    var revisions: [Int64] = []
    for member in members {
      switch member.health {
      case .failure(let error):
        add(
          .error, member.endpoint, "\(error)",
          "start the member, or correct the endpoint, certificate or password")
      case .success(let health):
        if health.isLeader { leaders.append(member.endpoint) }
        revisions.append(health.revision)
        add(health, at: member.endpoint)
      }
    }
    if leaders.count > 1 {
      add(
        .error, leaders.joined(separator: ", "), "several members say that they lead",
        "these endpoints belong to different stores; name the members of one")
    }
    let versions = Set(members.compactMap(\.version))
    if versions.count > 1 {
      add(
        .warning, "store",
        "the members have different versions: "
          + versions.sorted().joined(separator: ", "),
        "update the others: different versions are for the time of an update only")
    }
    // As reals, since a server can claim any number.
    let lag = Double(revisions.max() ?? 0) - Double(revisions.min() ?? 0)
    if lag > 1000 {
      add(
        .warning, "store", "a member is more than 1000 revisions behind",
        "look at its disk and its network")
    }
    if members.count == 1 {
      add(
        .warning, "store", "only one endpoint is named",
        "run three members, and name all: without them no policy changes")
    } else if members.count.isMultiple(of: 2) {
      add(
        .warning, "store", "\(members.count) endpoints are named",
        "use 3 or 5 members: an even number survives no more failures")
    }
  }

  private mutating func add(_ health: MemberStatus.Health, at endpoint: String) {
    addVersion(health.version, endpoint)
    if !health.hasLeader {
      add(
        .error, endpoint, "it has no leader, so that nothing can be changed through it",
        "start the other members, and look at the network between them")
    }
    for alarm in health.alarms {
      add(.error, endpoint, "alarm \(alarm)", Self.mend(alarm))
    }
    if health.isLearner {
      add(
        .warning, endpoint, "it is a learner: it answers no program, and is no help if others fail",
        "promote it when it has all data: etcdctl member promote; or do not name it as an endpoint")
    }
    addSize(health, endpoint)
    addCompaction(health, endpoint)
  }

  private mutating func addCompaction(_ health: MemberStatus.Health, _ endpoint: String) {
    if health.compactRevision == 0, health.revision > 1000 {
      add(
        .warning, endpoint, "its history has never been compacted",
        "use --auto-compaction-mode=periodic --auto-compaction-retention=24h")
    } else if health.compactRevision < 0, !health.isLearner {
      add(
        .warning, endpoint, "whether its history is compacted can't be seen with these rights",
        "ask as the store's administrator, root")
    }
  }

  /// etcd's own quota if none is set, and the largest that it is made for.
  private static let (quotaByDefault, quotaMax): (Int64, Int64) = (2 << 30, 8 << 30)

  private mutating func addSize(_ health: MemberStatus.Health, _ endpoint: String) {
    let bytes = health.databaseBytes
    var text = "the database has \(bytes >> 20) MB"
    if health.databaseBytesInUse > 0 {
      text += ", of which \(health.databaseBytesInUse >> 20) MB are in use"
    }
    let mend = "compact and defragment it: at its quota, the store refuses changes"
    let quota = health.quotaBytes
    if quota > 0 {
      if bytes > quota / 10 * 8 {
        add(
          bytes > quota / 100 * 95 ? .error : .warning, endpoint,
          text + "; its quota is \(quota >> 20) MB", mend)
      }
    } else if bytes > Self.quotaMax / 10 * 8 {
      add(.error, endpoint, text + ", more than etcd is made for", mend)
    } else if bytes > Self.quotaByDefault / 10 * 8 {
      add(
        .warning, endpoint,
        text + "; this version does not say its quota, which is 2048 MB if none is set",
        mend + "; see that --quota-backend-bytes is 4 GB or more")
    }
  }

  private static func mend(_ alarm: String) -> String {
    switch alarm.uppercased() {
    case "NOSPACE": "compact and defragment the database, then: etcdctl alarm disarm"
    case "CORRUPT": "remove the member with the damaged database, and add it anew"
    default: "see: etcdctl alarm list"
    }
  }

  private mutating func addVersion(_ version: String, _ endpoint: String) {
    let numbers = version.split(separator: ".").prefix(2).compactMap { Int($0) }
    guard numbers.count == 2 else {
      return add(.warning, endpoint, "its version, \(version), is not known", "use etcd 3.5 or 3.6")
    }
    if numbers[0] < 3 || (numbers[0] == 3 && numbers[1] < 5) {
      add(
        .warning, endpoint, "etcd \(version) lacks fixes for lost changes and by-passed roles",
        "use a current 3.5 or 3.6")
    }
  }

  // -- Hosts and policies

  /// A host reports at least this often.
  private static let silenceMax = 1800.0
  private static let clockErrorMax = 60.0

  mutating func add(_ state: FleetState, at now: PropertyListDate) {
    for problem in state.problems {
      add(
        .error, problem.place, problem.text,
        "publish or enroll again; if that is refused, delete the key first: etcdctl del KEY")
    }
    for problem in Conflicts.problems(among: state.policies) {
      add(.error, problem.place, problem.text, "publish one of them with another priority")
    }
    for host in state.hosts { add(host, at: now) }
  }

  private mutating func add(_ host: KnownHost, at now: PropertyListDate) {
    if !host.isEnrolled {
      add(
        .warning, host.name, "it reports, but has no record",
        "enroll it, or delete its status if it is gone")
    }
    guard let silence = host.silence(at: now) else {
      return add(
        .warning, host.name, "it has never been heard of", "start its agent: see its journal there")
    }
    if !silence.isFinite || silence < -Self.clockErrorMax {
      add(
        .warning, host.name, "its clock is ahead, or this one's is behind",
        "synchronize the clocks: values with an end depend on them")
    } else if silence > Self.silenceMax {
      add(
        .warning, host.name, "it was last heard of \(Shown.duration(silence)) ago",
        "see whether the host runs, and its agent with it")
    }
    for problem in host.status?.problems ?? [] {
      add(.error, host.name, problem, "see the agent's journal on the host")
    }
  }
}

extension MemberStatus {
  /// The version of a member that answers.
  var version: String? {
    if case .success(let health) = self.health { health.version } else { nil }
  }
}
