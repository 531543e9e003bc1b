import DefaultsCommand
import FleetModel
import RevisionedStore

/// All versions that a policy ever had.
struct PolicyHistory {
  let name: PolicyName
  /// What is in force; nil if there is no such policy.
  let policy: Policy?
  /// In ascending order.
  let versions: [Policy.Version]
  let problems: [FleetProblem]

  init(_ name: PolicyName, _ fleet: FleetCall) async throws(Failure) {
    self.name = name
    let live = KeyRange.key(FleetKey.live(name).text)
    let snapshot = try await fleet.read([live, FleetKey.history(of: name)])
    var versions: [Policy.Version] = []
    var problems: [FleetProblem] = []
    var policy: Policy?
    for value in snapshot.values {
      do throws(FleetProblem) {
        if live.contains(value.key) {
          policy = try Policy.decode(value.value, key: value.key).policy
        } else {
          let (version, some) = try Policy.Version.decode(value.value, key: value.key, of: name)
          versions.append(version)
          problems += some
        }
      } catch {
        problems.append(error)
      }
    }
    self.policy = policy
    self.versions = versions.sorted { $0.number < $1.number }
    self.problems = problems
  }

  /// The version that was on all hosts before the one that is now; nil if a candidate is in the way
  /// or if there is none.
  func previous(_ fleet: FleetCall) async throws(Failure) -> Policy.Version? {
    guard let policy, policy.candidate == nil, let stable = policy.stable else { return nil }
    // Before the first, the policy said nothing.
    if stable.number == 1 {
      return Policy.Version(
        number: 0, author: stable.author, reason: stable.reason, published: stable.published,
        content: PolicyContent())
    }
    let earlier = versions.filter { $0.number < stable.number }
    if earlier.isEmpty { return nil }
    // A candidate that was taken back is in the history, too, and must not come back this way.
    let audits = try await fleet.read([FleetKey.allAudits])
    var onAll: Set<Int64> = []
    for value in audits.values {
      do throws(FleetProblem) {
        let audit = try AuditRecord.decode(value.value, key: value.key)
        guard audit.action == AuditAction.publish, let number = audit.policies[name.text] else {
          continue
        }
        onAll.insert(number)
      } catch {
        continue  // it says nothing about this policy
      }
    }
    if let version = earlier.last(where: { onAll.contains($0.number) }) { return version }
    throw Failure(
      "the audit does not say which version of \(name.text) was on all hosts before; choose one "
        + "from 'defaults fleet history \(name.text)' with --to")
  }
}
