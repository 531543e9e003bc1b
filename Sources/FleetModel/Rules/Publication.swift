package import RevisionedStore
import StrataDomains
import StrataPropertyList

/// Edits of several policies that are made together, with what is written to the store for them.
package struct Publication: Sendable {
  /// One policy before and after.
  package struct Change: Equatable, Sendable {
    package let name: PolicyName
    package let before: Policy?
    package let after: Policy
    /// When the policy was last changed; 0 if it is new.
    package let revision: Int64

    /// The version that is new; nil if only the set of hosts changes that have one.
    package var newVersion: Policy.Version? {
      guard after.lastNumber > before?.lastNumber ?? 0 else { return nil }
      return after.candidate?.version ?? after.stable
    }

    /// What the history has of a version.
    func bytes(of version: Policy.Version) throws(FleetProblem) -> [UInt8] {
      try Record.bytes(.dictionary(version.encoded), at: name.text)
    }
  }

  /// A transaction has at most 128 operations: two for each policy, and one for the audit.
  package static let changesMax = 63

  /// etcd refuses transactions of 1.5 MiB, in which there are keys, conditions and the audit, too.
  package static let sizeMax = 1 << 20

  /// As many of the changes, from the first, as fit into one transaction.
  package static func part(of changes: [Change]) throws(FleetProblem) -> [Change] {
    var (part, size) = ([Change](), 0)
    for change in changes.prefix(changesMax) {
      size += try change.after.bytes().count
      if let version = change.newVersion { size += try change.bytes(of: version).count }
      if size > sizeMax, !part.isEmpty { break }
      part.append(change)
    }
    return part
  }

  /// The policies of the store, with the revisions that changed them.
  package let policies: [String: (policy: Policy, revision: Int64)]
  package let revision: Int64
  /// What is wrong with policies that are in the store.
  package let storedProblems: [FleetProblem]
  /// The keys whose values can't be read.
  private let unreadable: Set<String>
  /// The last numbers of policies as far as they are known from elsewhere than the live policies,
  /// by their texts.
  private var lastNumbers: [String: Int64] = [:]
  /// The policies that have a history, and are not there.
  private var gone: Set<String> = []

  /// - Parameter snapshot: of all policies.
  package init(_ snapshot: StoreSnapshot) {
    revision = snapshot.revision
    var policies: [String: (policy: Policy, revision: Int64)] = [:]
    var problems: [FleetProblem] = []
    var unreadable: Set<String> = []
    for value in snapshot.values {
      do throws(FleetProblem) {
        let (policy, some) = try Policy.decode(value.value, key: value.key)
        policies[policy.name.text] = (policy, value.revision)
        problems += some
      } catch {
        unreadable.insert(value.key)
        problems.append(error)
      }
    }
    self.policies = policies
    self.unreadable = unreadable
    storedProblems = problems
  }

  /// Whether there is nothing in the store, not even what can't be read.
  package func lacks(_ name: PolicyName) -> Bool {
    policies[name.text] == nil && !unreadable.contains(FleetKey.live(name).text)
  }

  /// The highest number that a version of a policy is known to have had; 0 if it had none.
  package func lastNumber(of name: PolicyName) -> Int64 {
    max(policies[name.text]?.policy.lastNumber ?? 0, lastNumbers[name.text] ?? 0)
  }

  /// Numbers of new versions are higher than this one, which was found elsewhere.
  package mutating func add(_ number: Int64, of name: PolicyName) {
    lastNumbers[name.text] = max(number, lastNumbers[name.text] ?? 0)
  }

  /// Takes over the last numbers of policies from their histories.
  package mutating func addNumbers(of names: [PolicyName], from histories: StoreSnapshot) {
    for name in names {
      let range = FleetKey.history(of: name)
      let keys = histories.values.lazy.map(\.key).filter(range.contains)
      guard let number = keys.compactMap(FleetKey.version).max() else { continue }
      add(number, of: name)
      if lacks(name) { gone.insert(name.text) }
    }
  }

  /// Takes over what else was known when policies were read before.
  package mutating func addNumbers(of earlier: Publication) {
    lastNumbers.merge(earlier.lastNumbers, uniquingKeysWith: max)
  }

  /// What the edits change; empty if nothing.
  ///
  /// - Throws: if an edit can't be made, if hosts would leave out a part of what it says, or if it
  ///   would make policies conflict.
  package func changes(
    by edits: [(name: PolicyName, edit: Edit)], _ circumstances: Edit.Circumstances
  ) throws(FleetProblem) -> [Change] {
    var changes: [Change] = []
    var all = policies.mapValues(\.policy)
    for (name, edit) in edits.sorted(by: { $0.name < $1.name }) {
      let key = FleetKey.live(name).text
      if unreadable.contains(key) {
        throw FleetProblem(key, "what is in the store can't be read, and is not replaced")
      }
      let old = policies[name.text]
      let after = try edit.apply(
        to: old?.policy, named: name, after: lastNumbers[name.text] ?? 0,
        isGone: gone.contains(name.text), circumstances)
      guard let after else { continue }
      let change = Change(
        name: name, before: old?.policy, after: after, revision: old?.revision ?? 0)
      try check(change, key)
      all[name.text] = after
      changes.append(change)
    }
    let problems = Conflicts.problems(
      among: Array(all.values), changed: Set(changes.map(\.name)))
    if let problem = problems.first { throw problem }
    return changes
  }

  /// Hosts leave out what is not valid; whoever publishes can mend it. What was published before by
  /// a newer program stays as it is.
  private func check(_ change: Change, _ key: String) throws(FleetProblem) {
    _ = try Policy.decode(try change.after.bytes(), key: key)
    guard let new = change.newVersion else { return }
    let (_, problems) = PolicyContent.decode(
      new.content.encoded, for: change.name.layer, at: change.name.text)
    if let problem = problems.first { throw problem }
  }

  /// The transaction that makes these changes, if nobody has changed the policies meanwhile.
  ///
  /// - Parameters:
  ///   - changes: such as `part` gives.
  ///   - unique: makes the audit's key one that nobody else has.
  package func transaction(
    for changes: [Change], _ action: String, _ circumstances: Edit.Circumstances, unique: UInt64
  ) throws(FleetProblem) -> StoreTransaction {
    var transaction = StoreTransaction(operations: [])
    for change in changes {
      let key = FleetKey.live(change.name).text
      transaction.conditions.append(.revision(of: key, is: change.revision))
      transaction.operations.append(.put(key: key, value: try change.after.bytes()))
      guard let version = change.newVersion else { continue }
      let history = FleetKey.history(change.name, version: version.number).text
      // A number is never used twice, even if the policy was deleted by other means.
      transaction.conditions.append(.revision(of: history, is: 0))
      transaction.operations.append(.put(key: history, value: try change.bytes(of: version)))
    }
    if changes.contains(where: { $0.name.layer.kind == .group }) {
      // Another group's policy may have come that conflicts.
      transaction.conditions.append(.unchanged(FleetKey.policies(of: .group), since: revision))
    }
    transaction.operations.append(
      try AuditRecord(action, changes, circumstances).operation(unique: unique))
    return transaction
  }
}
