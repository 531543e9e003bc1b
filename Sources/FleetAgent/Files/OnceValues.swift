package import FleetModel
package import StrataDomains
package import StrataPropertyList
package import StrataStorage

/// Sets values once per version of their policy, as if the user had set them.
///
/// An agent can die between setting a value and remembering that. So it first remembers what the
/// key had before. If that is still there after a restart, the value was not set, or might as well
/// not have been. Anything else is the value, or what the user has set since, and stays. If another
/// policy decides the key by then, that is found out before its value is set.
///
/// If it is not known what was set before, a value is set only where there is none: it is better to
/// miss one, which can be published again, than to replace what a user has set.
package struct OnceValues: Sendable {
  private let surroundings: ProcessSurroundings
  private let find: @Sendable (String) -> UserRecord?
  private let open: @Sendable (StorePaths, StoreRules) -> Store

  package init(
    _ surroundings: ProcessSurroundings, find: @escaping @Sendable (String) -> UserRecord?,
    open: @escaping @Sendable (StorePaths, StoreRules) -> Store = { Store.open($0, $1) }
  ) {
    self.surroundings = surroundings
    self.find = find
    self.open = open
  }

  struct Value: Sendable {
    let key: String
    let value: PropertyListValue
    /// Whether it may have been set already.
    let isDoubtful: Bool
    /// What is pending for the key by other policies or versions.
    let others: [String]
  }

  /// The values of one domain of a user that were not set yet, by the texts that remember them.
  package struct Due: Sendable {
    let store: Store
    let values: [String: Value]
    /// Those to set, with what their keys had before; the others have been set already.
    package let before: [String: [PropertyListValue]]
    /// Texts of other policies' values for the same keys that an agent that died was about to set,
    /// and whether they count as set.
    package let settled: [String: Bool]
  }

  /// What is to be done for a user.
  package struct Plan: Sendable {
    package var due: [Due] = []
    package var problems: [FleetProblem] = []
  }

  // -- Deciding

  /// - Parameter state: what is known of values that were set.
  package func plan(_ evaluation: Evaluation, for user: String, _ state: AgentState) -> Plan {
    let unknown = state.onceUnknownUntil?.secondsSinceReference ?? -.infinity
    let pending = Dictionary(grouping: state.pending.keys) { OnceText($0)?.place ?? "" }
    var plan = Plan()
    for (domain, keys) in evaluation.values(.once, for: user).sorted(by: { $0.key < $1.key }) {
      var values: [String: Value] = [:]
      for (key, effective) in keys {
        let text = OnceText.text(user, domain, key, effective)
        if state.done.contains(text) { continue }
        values[text] = Value(
          key: key, value: effective.entry.value,
          isDoubtful: effective.version.published.secondsSinceReference <= unknown,
          others: (pending[OnceText.place(user, domain, key)] ?? []).filter { $0 != text })
      }
      if values.isEmpty { continue }
      do throws(FleetProblem) {
        guard let store = try store(domain, of: user) else { continue }
        plan.due.append(try due(values, in: store, state.pending))
      } catch {
        plan.problems.append(error)
      }
    }
    return plan
  }

  private func due(
    _ values: [String: Value], in store: Store,
    _ pending: [String: [PropertyListValue]]
  ) throws(FleetProblem) -> Due {
    let values = values.sorted { $0.key < $1.key }
    let found: [PropertyListValue?]
    do throws(StorageError) {
      found = try store.knownValues(forKeys: values.map(\.value.key))
    } catch {
      // What is taken for absent could be the user's, and would be remembered as absent.
      throw FleetProblem(store.paths.plist, error.description)
    }
    var before: [String: [PropertyListValue]] = [:]
    var settled: [String: Bool] = [:]
    for ((text, value), present) in zip(values, found.map { [$0].compactMap(\.self) }) {
      if value.isDoubtful, pending[text] == nil, !present.isEmpty { continue }
      guard pending[text] ?? present == present else { continue }
      before[text] = present
      for other in value.others { settled[other] = pending[other] != present }
    }
    // Durability: what is remembered as present must not be another value after a power cut.
    try synchronize(store)
    return Due(
      store: store, values: Dictionary(uniqueKeysWithValues: values), before: before,
      settled: settled)
  }

  private func store(_ domain: String, of user: String) throws(FleetProblem) -> Store? {
    guard let places = Places(userNamed: user, in: surroundings, find: find),
      let directory = places.userDirectory
    else {
      throw FleetProblem("user \(user)", "there is no such user on this host, or no home")
    }
    do throws(DomainIdentifierError) {
      let identifier = try DomainIdentifier(domain, isSetUID: true)
      guard let name = identifier.fileName else { return nil }
      let paths = StorePaths(identifier: name, in: directory)
      return open(paths, places.rules(of: identifier, at: paths, in: .application))
    } catch {
      throw FleetProblem("user \(user), domain \(domain)", error.description)
    }
  }

  // -- Setting

  /// What was done.
  package struct Outcome: Equatable, Sendable {
    /// By the texts that remember them.
    package var done: Set<String> = []
    /// The texts of those that were certainly not set.
    package var failed: Set<String> = []
    package var problems: [FleetProblem] = []
  }

  /// Sets what is due; `before` must be durable.
  package func set(_ due: Due) -> Outcome {
    var outcome = Outcome()
    let new = due.values.filter { due.before[$0.key] != nil }.values
    do throws(StorageError) {
      let values = Dictionary(new.map { ($0.key, $0.value) }) { $1 }
      if !values.isEmpty { try due.store.apply(ChangeSet(setting: values)) }
    } catch {
      outcome.failed = Set(due.before.keys)
      outcome.problems.append(FleetProblem(due.store.paths.plist, error.description))
      return outcome
    }
    do throws(FleetProblem) {
      try synchronize(due.store)
      outcome.done = Set(due.values.keys)
      _ = due.store.flush()
    } catch {
      outcome.problems.append(error)
    }
    return outcome
  }

  private func synchronize(_ store: Store) throws(FleetProblem) {
    guard store.synchronize() else {
      throw FleetProblem(store.paths.plist, "the values could not be stored; \(store.issues)")
    }
  }
}
