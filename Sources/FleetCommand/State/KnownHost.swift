import FleetModel
import StrataPropertyList

/// A host that has a record or has reported its status.
struct KnownHost {
  let facts: HostFacts
  /// Whether it has a record; without one it has the policies for all and for its own name.
  let isEnrolled: Bool
  /// Nil as long as it has reported none that can be read.
  let status: HostStatus?
  private let layers: Set<PolicyLayer>

  init(_ name: String, _ record: HostRecord?, _ status: HostStatus?) {
    facts = HostFacts(name: name, ownOS: status?.os, record: record ?? HostRecord())
    isEnrolled = record != nil
    layers = Set(facts.layers + facts.userLayers)
    self.status = status
  }

  var name: String { facts.name }

  /// Whether it is one of those that a policy is for.
  func has(_ policy: PolicyName) -> Bool { layers.contains(policy.layer) }

  /// The policies of which it does not have the version that it should have.
  func behind(_ policies: [Policy]) -> [Lag] {
    policies.compactMap { policy in
      guard let status, has(policy.name) else { return nil }
      let (wanted, has) = (policy.version(on: facts), status.versions[policy.name.text])
      guard wanted?.number != has else { return nil }
      return Lag(
        policy: policy.name, has: has, wanted: wanted,
        isLost: LostVersions.contain(has ?? 0, after: policy.lastNumber))
    }
  }

  /// The highest number that a version of a policy is known to have on the host; 0 for none.
  func lastNumber(of policy: PolicyName) -> Int64 {
    guard let status, has(policy) else { return 0 }
    return max(status.versions[policy.text] ?? 0, status.lastNumbers[policy.text] ?? 0)
  }

  /// A policy of which a host has another version than it should have.
  struct Lag {
    let policy: PolicyName
    let has: Int64?
    let wanted: Policy.Version?
    /// Whether the host has what the store does not know of.
    let isLost: Bool
  }

  /// Seconds since it was last heard of, by this machine's clock; nil if it never was.
  func silence(at now: PropertyListDate) -> Double? {
    status.map { now.secondsSinceReference - $0.time.secondsSinceReference }
  }
}
