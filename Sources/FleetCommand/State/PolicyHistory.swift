import DefaultsCommand
import FleetModel
import RevisionedStore

/// All versions that a policy ever had.
struct PolicyHistory {
  let name: PolicyName
  /// What is in force; nil if there is no such policy.
  let policy: Policy?
  /// When that was last changed; 0 if there is no such policy.
  let revision: Int64
  /// In ascending order.
  let versions: [Policy.Version]
  let problems: [FleetProblem]
  /// What is wrong with versions, by their numbers: they can't be read, or not as a whole.
  private let damages: [Int64: FleetProblem]

  init(_ name: PolicyName, _ fleet: FleetCall) async throws(Failure) {
    self.name = name
    let live = KeyRange.key(FleetKey.live(name).text)
    let snapshot = try await fleet.read([live, FleetKey.history(of: name)])
    var versions: [Policy.Version] = []
    var problems: [FleetProblem] = []
    var damages: [Int64: FleetProblem] = [:]
    var (policy, revision) = (Policy?.none, Int64(0))
    for value in snapshot.values {
      do throws(FleetProblem) {
        if live.contains(value.key) {
          policy = try Policy.decode(value.value, key: value.key).policy
          revision = value.revision
        } else {
          let (version, some) = try Policy.Version.decode(value.value, key: value.key, of: name)
          versions.append(version)
          problems += some
          damages[version.number] = some.first
        }
      } catch {
        problems.append(error)
        if let number = FleetKey.version(of: value.key) { damages[number] = error }
      }
    }
    self.policy = policy
    self.revision = revision
    self.versions = versions.sorted { $0.number < $1.number }
    self.problems = problems
    self.damages = damages
  }

  /// A version to go back to, as a whole.
  func version(_ number: Int64) throws(Failure) -> Policy.Version {
    if let damage = damages[number] {
      throw Failure(
        "version \(number) of \(name.text) can't be read as a whole: "
          + "\(Shown.text(damage.description))\n\(choice)")
    }
    if let version = versions.first(where: { $0.number == number }) { return version }
    throw Failure("the history of \(name.text) has no version \(number)\n\(choice)")
  }

  /// The version that was on all hosts before the one that is now; nil if a candidate is in the way
  /// or if there is none.
  func previous(_ fleet: FleetCall) async throws(Failure) -> Policy.Version? {
    guard let policy, policy.candidate == nil, let stable = policy.stable else { return nil }
    // Before the first, which has another number if hosts had had one, the policy said nothing.
    let nothing = Policy.Version(
      number: 0, author: stable.author, reason: stable.reason, published: stable.published,
      content: PolicyContent())
    if stable.number == 1 { return nothing }
    // A candidate that was taken back is in the history, too, and must not come back this way.
    let audits = try await fleet.read([FleetKey.allAudits])
    var onAll: Set<Int64> = []
    var unread: FleetProblem?
    for value in audits.values {
      do throws(FleetProblem) {
        let audit = try AuditRecord.decode(value.value, key: value.key)
        guard audit.action == AuditAction.publish, let number = audit.policies[name.text] else {
          continue
        }
        onAll.insert(number)
      } catch {
        unread = error
      }
    }
    let previous = onAll.filter { $0 < stable.number }.max()
    // A record that can't be read may be that of any version after the last one that is known.
    if let unread, previous ?? 0 < stable.number - 1 {
      throw Failure(
        "which version of \(name.text) was on all hosts before, is not known, since the audit "
          + "can't be read: \(Shown.text(unread.description))\n\(choice)")
    }
    if let previous { return try version(previous) }
    if versions.allSatisfy({ $0.number >= stable.number }), damages.isEmpty { return nothing }
    throw Failure(
      "the audit does not say which version of \(name.text) was on all hosts before\n\(choice)")
  }

  private var choice: String {
    "Choose one from 'defaults fleet history \(name.text)' with --to."
  }
}
