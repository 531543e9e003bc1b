import DefaultsCommand
import FleetModel
import RevisionedStore

/// Makes edits of policies in the store, unless somebody else has changed the same policies since
/// they were shown.
///
/// More policies than fit into one transaction are published by several, each of which is checked
/// and recorded by itself.
struct Publisher {
  typealias Edits = [(name: PolicyName, edit: Edit)]

  private let fleet: FleetCall
  private let circumstances: Edit.Circumstances
  /// What the changes are based on.
  private let shown: Publication
  private var rest: Edits
  private(set) var made: [Publication.Change] = []

  init(
    _ fleet: FleetCall, _ edits: Edits, _ shown: Publication, _ circumstances: Edit.Circumstances
  ) {
    self.fleet = fleet
    self.shown = shown
    self.circumstances = circumstances
    rest = edits
  }

  /// Others who change policies all the time can't keep it from ending.
  private static let attemptsMax = 20

  /// Makes all changes, and returns once they are durable.
  mutating func publish() async throws(Failure) {
    var attempts = 0
    var current = shown
    while true {
      try refuseClash(with: current)
      let part: [Publication.Change]
      do throws(FleetProblem) {
        let changes = try current.changes(by: rest, circumstances)
        part = try Publication.part(of: changes.filter { $0.action == changes.first?.action })
      } catch {
        throw refusal(error.description)
      }
      guard let action = part.first?.action else { return }
      let isMade = try await commit(part, action, current)
      if isMade {
        made += part
        let names = Set(part.map(\.name))
        rest.removeAll { names.contains($0.name) }
        attempts = 0
      } else {
        attempts += 1
        guard attempts < Self.attemptsMax else {
          throw refusal("others keep changing policies; try again")
        }
      }
      if rest.isEmpty { return }
      // If nobody has changed a policy, its history is ahead of it.
      current = try await publication(withHistories: !isMade)
    }
  }

  /// The policies as they are now, with what was known of them before.
  private func publication(withHistories: Bool) async throws(Failure) -> Publication {
    do throws(Failure) {
      var publication = Publication(try await fleet.read([FleetKey.allPolicies]))
      publication.addNumbers(of: shown)
      return try await fleet.withNumbers(publication, of: rest.map(\.name), all: withHistories)
    } catch {
      throw refusal(error.text ?? "")
    }
  }

  /// - Returns: false if another change came first.
  private func commit(
    _ changes: [Publication.Change], _ action: String, _ publication: Publication
  ) async throws(Failure) -> Bool {
    let transaction: StoreTransaction
    do throws(FleetProblem) {
      transaction = try publication.transaction(
        for: changes, action, circumstances, unique: .random(in: 0...UInt64.max))
    } catch {
      throw refusal(error.description)
    }
    do throws(StoreError) {
      guard case .committed = try await fleet.store.commit(transaction) else { return false }
      return true
    } catch {
      guard case .outcomeUnknown = error else { throw refusal(error.description) }
      return try await look(for: changes, after: error)
    }
  }

  /// Finds out whether changes were made whose answer was lost.
  private func look(
    for changes: [Publication.Change], after error: StoreError
  ) async throws(Failure) -> Bool {
    let current: Publication
    do throws(Failure) {
      current = Publication(try await fleet.read([FleetKey.allPolicies]))
    } catch {
      throw refusal(
        "\(error.text ?? "")\nThe connection was lost before, so it is not known whether the last "
          + "change was made; 'defaults fleet plan' shows it once the store answers.", "surely ")
    }
    guard changes.allSatisfy({ current.policies[$0.name.text]?.policy == $0.after }) else {
      throw refusal("\(error)\nThe store does not have the change. Try again.")
    }
    fleet.session.note("the connection was lost, but the store has the change")
    return true
  }

  /// Throws if a policy that is still to be changed is no longer what was shown.
  private func refuseClash(with current: Publication) throws(Failure) {
    for (name, _) in rest.sorted(by: { $0.name < $1.name }) {
      let (old, new) = (shown.policies[name.text], current.policies[name.text])
      guard old?.revision != new?.revision else { continue }
      try show(name, old?.policy, new?.policy)
      let newest = new?.policy.candidate?.version ?? new?.policy.stable
      let author = newest.map { " by \(Shown.text($0.author)): \(Shown.text($0.reason))" } ?? ""
      throw refusal(
        "\(name.text) was changed meanwhile\(author)\n"
          + "Look at the difference, and publish again if your change is still right.")
    }
  }

  private func show(_ name: PolicyName, _ old: Policy?, _ new: Policy?) throws(Failure) {
    let session = fleet.session
    // JSON for what was planned is printed already; another 'plan --json' has the difference.
    if fleet.has(.json) { return }
    try session.print(session.style.bold(Shown.text(name.text)) + "  changed meanwhile:")
    for (old, new) in [
      (old?.stable, new?.stable), (old?.candidate?.version, new?.candidate?.version),
    ] {
      try session.print(ContentNotation.difference(from: old?.content, to: new?.content))
    }
  }

  private func refusal(_ text: String, _ certainty: String = "") -> Failure {
    let done = made.isEmpty ? "Nothing was" : "\(Shown.count(made.count, "policy")) of several were"
    return Failure("\(text)\n\(done) \(certainty)published.")
  }
}

extension Publication.Change {
  /// What the audit calls it. A version that is tried is told from one that is for all hosts, since
  /// `rollback` goes back to the latter only.
  var action: String {
    if after.candidate != nil { return newVersion == nil ? AuditAction.widen : AuditAction.try }
    return after.stable == before?.stable ? AuditAction.withdraw : AuditAction.publish
  }
}
