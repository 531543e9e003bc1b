import StrataDomains
package import StrataPropertyList

/// Decides which values a host has, from all policies of its layers.
package struct Evaluation: Sendable {
  /// A value with the policy that it comes from, and those that it overrode.
  package struct Effective: Equatable, Sendable {
    package let policy: PolicyName
    package let version: Policy.Version
    package let entry: PolicyEntry
    /// From the strongest to the weakest.
    package let overrode: [Overridden]
  }

  package struct Overridden: Equatable, Sendable {
    package let policy: PolicyName
    package let version: Int64
    package let value: PropertyListValue

    package init(policy: PolicyName, version: Int64, value: PropertyListValue) {
      self.policy = policy
      self.version = version
      self.value = value
    }
  }

  private struct Claim {
    let policy: PolicyName
    let version: Policy.Version
    let entry: PolicyEntry

    /// Whether this one counts, and not the other.
    func wins(over other: Claim) -> Bool {
      if entry.isEnforced != other.entry.isEnforced { return entry.isEnforced }
      let (own, others) = (policy.layer, other.policy.layer)
      if own.kind != others.kind {
        // Of values that are enforced, the one of the layer with the lowest precedence counts.
        return entry.isEnforced == (own.kind < others.kind)
      }
      let (priority, otherPriority) = (version.content.priority, other.version.content.priority)
      // Publishing refuses equal priorities; the order of the names makes all hosts agree anyway.
      return priority == otherPriority ? own < others : priority > otherPriority
    }
  }

  private let host: HostFacts
  private let now: PropertyListDate
  private let inForce: [(name: PolicyName, version: Policy.Version)]

  /// - Parameter policies: those of other layers than the host's are left out.
  package init(_ policies: [Policy], on host: HostFacts, at now: PropertyListDate) {
    self.host = host
    self.now = now
    let layers = Set(host.layers + host.userLayers)
    inForce = policies.filter { layers.contains($0.name.layer) }.compactMap { policy in
      policy.version(on: host).map { (policy.name, $0) }
    }
  }

  /// The version of each policy that is in force.
  package var versions: [String: Int64] {
    Dictionary(inForce.map { ($0.name.text, $0.version.number) }) { $1 }
  }

  package var domains: Set<String> { Set(inForce.map(\.name.domain.name)) }

  /// The values of a level by domain and key.
  ///
  /// - Parameter user: whose values these are, with the policies for all; nil for those of
  ///   everybody, without any user's.
  package func values(
    _ level: PolicyEntry.Level, for user: String? = nil
  ) -> [String: [String: Effective]] {
    var claims: [String: [String: [Claim]]] = [:]
    for (name, version) in inForce {
      if name.layer.kind == .user, name.layer.name != user { continue }
      for (key, entry) in version.content.entries
      where entry.level == level && entry.applies(at: now) {
        claims[name.domain.name, default: [:]][key, default: []].append(
          Claim(policy: name, version: version, entry: entry))
      }
    }
    return claims.mapValues { keys in keys.compactMapValues(Self.effective) }
  }

  private static func effective(_ claims: [Claim]) -> Effective? {
    let sorted = claims.sorted { $0.wins(over: $1) }
    guard let first = sorted.first else { return nil }
    let rest = sorted.dropFirst().map {
      Overridden(policy: $0.policy, version: $0.version.number, value: $0.entry.value)
    }
    return Effective(
      policy: first.policy, version: first.version, entry: first.entry, overrode: rest)
  }

  /// When the next value ends to apply; nil if none does.
  package var nextEnd: PropertyListDate? {
    let ends = inForce.flatMap { $0.version.content.entries.values.compactMap(\.until) }
    return ends.filter { $0.secondsSinceReference > now.secondsSinceReference }
      .min { $0.secondsSinceReference < $1.secondsSinceReference }
  }
}
