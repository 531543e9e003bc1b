import StrataPropertyList
package import StrataStorage

/// Observers of keys: told when the effective value is another one, whoever changed it and where.
///
/// Changes by this process are told on the thread that makes them; those by others on a thread of
/// ours, one after the other, and merged where they come faster than they are told.
extension Stack {
  /// Tells `observer` of each change of its keys' effective values from now on.
  package func add(_ observer: Observer) {
    if process.changeLock.withLock({ observerList.add(observer, in: self) }) {
      updateWatches()
      notifyObservers(of: nil)  // what came before anybody watched
    }
    observer.notify()
  }

  /// Has an observer, while it is told, observe other keys from now on.
  package func setKeys(of observer: Observer, to keys: [String]) {
    process.changeLock.withLock { observerList.setKeys(of: observer, to: keys, in: self) }
  }

  /// Ends that: no call begins after it.
  package func remove(_ observer: Observer) {
    observer.end()
    if observerList.remove(observer, in: self) { updateWatches() }
  }

  /// Tells observers of these keys, or (nil) of all, what is another value now, by others.
  func notifyObservers(of keys: [String]?) {
    // What changed in one domain may be hidden by what changed before it in another.
    Layer.expectNews(in: layers)
    process.changeLock.withLock { observerList.record(keys, in: self, by: .elsewhere) }.notify()
  }

  /// The list is another one.
  func restartObserving() {
    guard observerList.count > 0 else { return }
    updateWatches()
    notifyObservers(of: nil)
  }

  private func updateWatches() {
    observerList.updateWatches { isInUse in
      if isInUse {
        absentDirectories.tell { [weak self] in
          self?.reloadLayers()
          self?.restartObserving()
        }
        return stores
      }
      absentDirectories.tell(nil)
      return []
    } _: { [weak self] keys in
      self?.notifyObservers(of: keys)
    }
  }

  // -- Before a change

  /// Warns observers who want that of what a change in a domain will change.
  func notifyObservers(priorTo change: Change, in layer: Layer, by origin: Observer.Origin) {
    let observers = observerList.priorObservers(of: change.key)
    guard !observers.isEmpty, case .value(let new) = effect(of: change, in: layer) else { return }
    let old = value(forKey: change.key)
    if old == new { return }
    for observer in observers {
      observer.notify(priorTo: Observer.Change(old: [old], new: [new], origin: origin))
    }
  }

  /// What a change does to what is found.
  enum Effect: Equatable {
    /// Nothing: another domain hides this one, or it is not searched.
    case none
    case value(PropertyListValue?)
  }

  func effect(of change: Change, in layer: Layer) -> Effect {
    let layers = self.layers
    guard let place = layers.firstIndex(where: { $0 == layer }) else { return .none }
    let above = layers[..<place].lazy.compactMap { $0.value(forKey: change.key) }.first
    if above != nil { return .none }
    let below = layers[(place + 1)...].lazy.compactMap { $0.value(forKey: change.key) }.first
    return .value(change.value ?? below)
  }
}

/// Changes by this process. While somebody observes, they are made and noted under a lock, one
/// after the other: so nobody takes one for another's, or for one of another process.
extension DomainProcess {
  /// Has `body` make changes in a domain.
  /// - Parameter changes: what it made, asked for after that.
  /// - Returns: who is to be told.
  package func perform<Failure: Error>(
    _ changes: @autoclosure () -> [Change], in layer: Layer, by object: AnyObject,
    _ body: () throws(Failure) -> Void
  ) throws(Failure) -> [Observer] {
    try perform(by: object, body) { stack, origin, isAlone in
      // Whoever came while `body` ran without the lock may have seen what was set after it.
      isAlone
        ? stack.observerList.record(changes(), in: layer, of: stack, by: origin)
        : stack.observerList.record(changes().map(\.key), in: stack, by: origin)
    }
  }

  /// The same where any of these keys, or (nil) any key, may have another value.
  package func perform<Failure: Error>(
    changesOf keys: @autoclosure () -> [String]? = nil, by object: AnyObject,
    _ body: () throws(Failure) -> Void
  ) throws(Failure) -> [Observer] {
    try perform(by: object, body) { stack, origin, _ in
      stack.observerList.record(keys(), in: stack, by: origin)
    }
  }

  private func perform<Failure: Error>(
    by object: AnyObject, _ body: () throws(Failure) -> Void,
    recording record: (_ stack: Stack, Observer.Origin, _ isAlone: Bool) -> [Observer]
  ) throws(Failure) -> [Observer] {
    let origin = Observer.Origin.here(ObjectIdentifier(object))
    if isObserved {
      return try changeLock.withLock { () throws(Failure) in
        try body()
        return observedStacks.flatMap { record($0, origin, true) }
      }
    }
    try body()
    if !isObserved { return [] }
    return changeLock.withLock { observedStacks.flatMap { record($0, origin, false) } }
  }

  /// To be called before this process makes these changes.
  package func notifyObservers(
    priorTo changes: @autoclosure () -> [Change], in layer: Layer, by object: AnyObject
  ) {
    if !isObserved { return }
    let (changes, origin) = (changes(), Observer.Origin.here(ObjectIdentifier(object)))
    for stack in observedStacks {
      for change in changes { stack.notifyObservers(priorTo: change, in: layer, by: origin) }
    }
  }
}

extension [Observer] {
  /// Calls those who were noted to have something to hear.
  package func notify() { for observer in self { observer.notify() } }
}
