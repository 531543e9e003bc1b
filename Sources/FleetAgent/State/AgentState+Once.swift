import FleetModel

/// What has to be remembered of values that were set once, and for how long.
///
/// A version can be in force again only as long as it is its policy's stable one or its candidate:
/// going back to an earlier content gives it a new number, no number is used twice, and a policy
/// that is older than the known one is refused. So the values of all other versions are forgotten.
///
/// The policies of a group that the host has left are not known any more, but come back unchanged
/// with the group. So what was set for these is remembered, up to a limit: if it were not, a value
/// could be set over the user's.
extension AgentState {
  /// More values than this of policies that the host has no more are remembered only if all of them
  /// are of one policy.
  package static let departedMax = 10_000

  mutating func forgetPastOnce() {
    let present = numbersInForce
    func isPast(_ text: String) -> Bool {
      guard let name = OnceText(text), let numbers = present[name.policy] else { return false }
      return !numbers.contains(name.version)
    }
    done = done.filter { !isPast($0) }
    pending = pending.filter { !isPast($0.key) }
    forgetDeparted(present)
  }

  /// The versions of each known policy that are in force on some hosts.
  private var numbersInForce: [String: Set<Int64>] {
    let numbers = policies.map { policy in
      let versions = [policy.stable, policy.candidate?.version].compactMap { $0 }
      return (policy.name.text, Set(versions.map(\.number)))
    }
    return Dictionary(numbers) { $1 }
  }

  private mutating func forgetDeparted(_ present: [String: Set<Int64>]) {
    var counts: [String: Int] = [:]
    for text in done {
      guard let name = OnceText(text), present[name.policy] == nil else { continue }
      counts[name.policy, default: 0] += 1
    }
    departed.removeAll { counts[$0] == nil }
    departed += counts.keys.filter { !departed.contains($0) }.sorted()
    var total = counts.values.reduce(0, +)
    var forgotten: Set<String> = []
    while total > Self.departedMax, departed.count > 1 {
      let policy = departed.removeFirst()
      forgotten.insert(policy)
      total -= counts[policy] ?? 0
    }
    if forgotten.isEmpty { return }
    done = done.filter { text in OnceText(text).map { !forgotten.contains($0.policy) } ?? true }
  }
}

/// The text by which a value is remembered that was set once.
struct OnceText {
  /// The user, domain and key.
  let place: String
  let policy: String
  let version: Int64

  /// Nil if it is none.
  init?(_ text: String) {
    // A key can have line breaks, so it is read from its end.
    // By bytes: a line break can be a part of a character.
    let parts = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard parts.count > 2, let version = parts.last.flatMap({ Int64(Substring($0)) }) else {
      return nil
    }
    place = parts.dropLast(2).map { String(Substring($0)) }.joined(separator: "\n")
    policy = String(Substring(parts[parts.count - 2]))
    self.version = version
  }

  static func text(
    _ user: String, _ domain: String, _ key: String, _ effective: Evaluation.Effective
  ) -> String {
    [place(user, domain, key), effective.policy.text, String(effective.version.number)]
      .joined(separator: "\n")
  }

  static func place(_ user: String, _ domain: String, _ key: String) -> String {
    [user, domain, key].joined(separator: "\n")
  }
}
