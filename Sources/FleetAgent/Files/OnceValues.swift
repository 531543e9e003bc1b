package import FleetModel
package import StrataDomains
import StrataPropertyList
import StrataStorage

/// Sets values once per version of their policy, as if the user had set them.
package struct OnceValues: Sendable {
  private let surroundings: ProcessSurroundings
  private let find: @Sendable (String) -> UserRecord?

  package init(
    _ surroundings: ProcessSurroundings, find: @escaping @Sendable (String) -> UserRecord?
  ) {
    self.surroundings = surroundings
    self.find = find
  }

  /// What was done.
  package struct Outcome: Equatable, Sendable {
    /// By the texts that remember them.
    package var done: Set<String> = []
    package var problems: [FleetProblem] = []
  }

  /// Sets what has not been set before in a user's domains.
  package func apply(
    _ evaluation: Evaluation, to user: String, except done: Set<String>
  ) -> Outcome {
    var outcome = Outcome()
    for (domain, keys) in evaluation.values(.once, for: user) {
      let new = keys.filter { !done.contains(Self.text(user, domain, $0.key, $0.value)) }
      guard !new.isEmpty else { continue }
      do throws(FleetProblem) {
        try set(new.mapValues(\.entry.value), in: domain, of: user)
        outcome.done.formUnion(new.map { Self.text(user, domain, $0.key, $0.value) })
      } catch {
        outcome.problems.append(error)
      }
    }
    return outcome
  }

  private func set(
    _ values: [String: PropertyListValue], in domain: String, of user: String
  ) throws(FleetProblem) {
    let places = Places(userNamed: user, in: surroundings, find: find)
    guard let directory = places?.userDirectory else {
      throw FleetProblem("user \(user)", "there is no such user on this host, or no home")
    }
    do {
      let identifier = try DomainIdentifier(domain, isSetUID: true)
      guard let fileName = identifier.fileName else { return }
      let store = Store.open(StorePaths(identifier: fileName, in: directory))
      try store.apply(ChangeSet(setting: values))
      guard store.synchronize() else {
        throw FleetProblem(store.paths.plist, "the values could not be stored; \(store.issues)")
      }
      _ = store.flush()
    } catch let error as FleetProblem {
      throw error
    } catch {
      throw FleetProblem("user \(user), domain \(domain)", "\(error)")
    }
  }

  private static func text(
    _ user: String, _ domain: String, _ key: String, _ effective: Evaluation.Effective
  ) -> String {
    [user, domain, key, effective.policy.text, String(effective.version.number)]
      .joined(separator: "\n")
  }
}
