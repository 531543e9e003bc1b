import FleetModel
package import StrataDomains
package import StrataPropertyList

/// Decides what becomes of the values that an earlier run has written: an agent fails static.
///
/// Durability: a restart without the store goes by the state on the disk. So a file to which such a
/// restart would do something else waits until the state is saved. What it would find to be newer
/// than its state, and leave alone, is written at once.
package struct EarlierValues: Sendable {
  /// What a state says of policies.
  private struct View {
    /// Their last numbers, by their texts.
    let numbers: [String: Int64]
    /// The layers of the host.
    let layers: Set<String>
    /// How the layers begin of which nobody knows whether they are the host's.
    let unknown: [String]
    /// Whether an agent that has only this state does anything.
    let isInformed: Bool

    init(_ state: AgentState) {
      numbers = Dictionary(state.policies.map { ($0.name.text, $0.lastNumber) }) { $1 }
      layers = Set((state.facts.layers + state.facts.userLayers).map(\.text))
      // Without a record, nobody knows which groups and users the host had; and which operating
      // system it had may be unknown as well.
      unknown = (state.hasRecord ? [] : ["group:", "user:"]) + (state.knowsOS ? [] : ["os:"])
      isInformed = state.revision > 0
    }

    /// Whether a policy is known, or no longer for this host.
    func mayEnd(_ policy: String) -> Bool {
      if numbers[policy] != nil { return true }
      let layer = policy.split(separator: "/").first.map(String.init) ?? ""
      return !layers.contains(layer) && !unknown.contains(where: layer.hasPrefix)
    }
  }

  private let present: View
  /// What a restart would know; nil if the state on the disk can't be read.
  private let durable: View?
  /// Whether the state on the disk says the same as the agent's.
  private let isDurable: Bool
  /// Whether the store was heard of in this run.
  private let isInformed: Bool
  private let time: PropertyListDate

  /// - Parameters:
  ///   - durable: the state on the disk; nil if it can't be read.
  ///   - isInformed: whether the store was heard of in this run.
  package init(
    _ state: AgentState, durable: AgentState?, isInformed: Bool, at time: PropertyListDate
  ) {
    present = View(state)
    self.durable = durable.map(View.init)
    isDurable = durable?.hasSamePolicies(as: state) ?? false
    self.isInformed = isInformed
    self.time = time
  }

  /// Whether an earlier value may end: its policy is known, no longer for this host, or at its end.
  package func mayEnd(_ entry: Provenance.Entry) -> Bool {
    present.mayEnd(entry.policy) || isOver(entry)
  }

  /// Why a file has to stay as it is; nil if it does not.
  ///
  /// - Parameters:
  ///   - old: what an earlier run has written.
  ///   - new: what the policies say.
  package func obstacle(
    from old: [String: Provenance.Entry], to new: [String: Provenance.Entry]
  ) -> String? {
    let ahead = old.filter { !isInformed && isAhead($0.value, of: new[$0.key]) }
    if let entry = ahead.values.min(by: { $0.policy < $1.policy }) {
      return "version \(entry.version) of \(entry.policy) is not in the agent's state; the file "
        + "stays as it is until the store can be reached"
    }
    if isDurable { return nil }
    let keys = Set(old.keys).union(new.keys)
    return keys.allSatisfy { isLasting(from: old[$0], to: new[$0]) }
      ? nil : "it stays as it is until the agent's state can be saved"
  }

  /// Whether the policies as they are known now would take an earlier value back.
  private func isAhead(_ old: Provenance.Entry, of new: Provenance.Entry?) -> Bool {
    if new == nil, isOver(old) { return false }
    if let number = present.numbers[old.policy] { return number < old.version }
    return new != nil && !present.mayEnd(old.policy)
  }

  /// Whether a restart without the store would leave what a key becomes.
  private func isLasting(from old: Provenance.Entry?, to new: Provenance.Entry?) -> Bool {
    if let old, let new, old.value == new.value, old.policy == new.policy,
      old.version == new.version
    {
      return true
    }
    guard let durable else {
      // Whatever is on the disk, it is hardly newer than what the files have.
      guard let old else { return true }
      return new.map { $0.policy == old.policy && $0.version > old.version } ?? false
    }
    if !durable.isInformed { return true }
    if let new {
      return durable.numbers[new.policy].map { $0 < new.version } ?? !durable.mayEnd(new.policy)
    }
    return old.map { isOver($0) && $0.version <= durable.numbers[$0.policy] ?? -1 } ?? true
  }

  private func isOver(_ entry: Provenance.Entry) -> Bool {
    entry.until.map { $0.secondsSinceReference <= time.secondsSinceReference } ?? false
  }
}
