import FleetModel
import RevisionedStore
import StrataPropertyList

/// What the store has at one revision: policies, records of hosts, and what hosts report.
struct FleetState {
  static let ranges = [FleetKey.allPolicies, FleetKey.allHosts, FleetKey.allStatuses]

  let revision: Int64
  let publication: Publication
  /// Sorted by name.
  let hosts: [KnownHost]
  /// What is wrong with values in the store; the rest of them counts.
  let problems: [FleetProblem]

  /// - Parameter snapshot: of `ranges`, or of a part of what they contain.
  init(_ snapshot: StoreSnapshot) {
    revision = snapshot.revision
    publication = Publication(
      StoreSnapshot(
        revision: snapshot.revision,
        values: snapshot.values.filter { FleetKey.allPolicies.contains($0.key) }))
    var found = FoundHosts()
    for value in snapshot.values where !FleetKey.allPolicies.contains(value.key) {
      found.add(value)
    }
    hosts = found.hosts
    problems = publication.storedProblems + found.problems
  }

  var policies: [Policy] {
    publication.policies.values.map(\.policy).sorted { $0.name < $1.name }
  }

  /// The hosts on which this change brings another version into force.
  func hosts(changedBy change: Publication.Change) -> [KnownHost] {
    hosts.filter { host in
      host.has(change.name)
        && change.before?.version(on: host.facts)?.number
          != change.after.version(on: host.facts)?.number
    }
  }
}

/// Gathers hosts from their records and their statuses.
private struct FoundHosts {
  private var records: [String: HostRecord] = [:]
  private var statuses: [String: HostStatus] = [:]
  private(set) var problems: [FleetProblem] = []
  private var names: Set<String> = []

  mutating func add(_ value: StoredValue) {
    guard let host = FleetKey.host(of: value.key) else {
      return problems.append(FleetProblem(value.key, "this can't be the key of a host"))
    }
    names.insert(host)
    do throws(FleetProblem) {
      if FleetKey.allHosts.contains(value.key) {
        let (record, some, _) = try HostRecord.decode(value.value, of: host)
        records[host] = record
        problems += some
      } else {
        statuses[host] = try HostStatus.decode(value.value, of: host)
      }
    } catch {
      problems.append(error)
    }
  }

  var hosts: [KnownHost] {
    names.sorted().map { name in
      KnownHost(name, records[name], statuses[name])
    }
  }
}
