import StrataDomains

/// Finds policies of which nobody could say which one counts.
///
/// A host is in one layer of each kind, except for groups: two groups that a host is in must not
/// have the same key with equal priority.
package enum Conflicts {
  /// - Parameter changed: of two policies, one must be among these; nil for all.
  package static func problems(
    among policies: [Policy], changed: Set<PolicyName>? = nil
  ) -> [FleetProblem] {
    var problems: Set<FleetProblem> = []
    let groups = policies.filter { $0.name.layer.kind == .group }
    for domain in Dictionary(grouping: groups, by: \.name.domain.name).values where domain.count > 1
    {
      for (position, one) in domain.enumerated() {
        for other in domain.dropFirst(position + 1)
        where changed.map({ $0.contains(one.name) || $0.contains(other.name) }) ?? true {
          problems.formUnion(Self.problems(between: one, other))
        }
      }
    }
    return problems.sorted { ($0.place, $0.text) < ($1.place, $1.text) }
  }

  private static func problems(between one: Policy, _ other: Policy) -> [FleetProblem] {
    let (first, second) = one.name < other.name ? (one, other) : (other, one)
    return contents(of: first).flatMap { left in
      contents(of: second).flatMap { right in
        left.priority == right.priority ? clashes(left, right, first.name, second.name) : []
      }
    }
  }

  private static func contents(of policy: Policy) -> [PolicyContent] {
    [policy.stable, policy.candidate?.version].compactMap { $0?.content }
  }

  private static func clashes(
    _ left: PolicyContent, _ right: PolicyContent, _ first: PolicyName, _ second: PolicyName
  ) -> [FleetProblem] {
    left.entries.compactMap { key, entry in
      guard let other = right.entries[key], other.level == entry.level,
        other.isEnforced == entry.isEnforced
      else { return nil }
      return FleetProblem(
        first.text,
        "\(key) is in \(second.text) as well, with the same priority, \(left.priority); "
          + "give one of them another priority")
    }
  }
}
