package import StrataPropertyList
package import StrataStorage

/// Notifies observers of keys when an effective value changes, whoever changed it and wherever.
///
/// Changes by this process are delivered on the thread that makes them; changes by others one at a
/// time on a thread of the library, and merged if they come faster than they are delivered.
extension Stack {
  /// Notifies `observer` of each change of its keys' effective values from now on.
  package func add(_ observer: Observer) {
    if process.changeLock.withLock({ observerList.add(observer, in: self) }) {
      updateWatches()
      notifyObservers(of: nil)  // of changes made before the watches started
    }
    observer.notify()
  }

  /// Replaces the keys of an observer. To be called by its body.
  package func setKeys(of observer: Observer, to keys: [String]) {
    process.changeLock.withLock { observerList.setKeys(of: observer, to: keys, in: self) }
  }

  /// Removes an observer: no call of its body begins after this.
  package func remove(_ observer: Observer) {
    observer.end()
    if observerList.remove(observer, in: self) { updateWatches() }
  }

  /// Notifies the observers of these keys, or (nil) of all keys, of changes by others.
  func notifyObservers(of keys: [String]?) {
    // An edit of another domain that has not been read yet may hide this change.
    Layer.lookForEdits(in: layers)
    process.changeLock.withLock {
      observerList.record(keys, in: self, by: .elsewhere, areTouched: keys != nil)
    }.notify()
  }

  /// Watches and reads the domains of a search list after it changed.
  func restartObserving() {
    guard observerList.count > 0 else { return }
    updateWatches()
    notifyObservers(of: nil)
  }

  private func updateWatches() {
    observerList.updateWatches { isInUse in
      if isInUse {
        absentDirectories.setListener { [weak self] in
          self?.reloadLayers()
          self?.restartObserving()
        }
        return stores
      }
      absentDirectories.setListener(nil)
      return []
    } _: { [weak self] keys in
      self?.notifyObservers(of: keys)
    }
  }

  // -- Before a change

  /// Notifies the observers that asked to be called before a change, if it has an effect.
  func notifyObservers(priorTo change: Change, in layer: Layer, by origin: Observer.Origin) {
    let observers = observerList.priorObservers(of: change.key)
    if observers.isEmpty { return }
    reloadIfDirectoriesAppeared()
    guard case .value(let new) = effect(of: change, in: layer) else { return }
    let old = value(forKey: change.key)
    if old == new { return }
    for observer in observers {
      observer.notify(priorTo: Observer.Change(old: [old], new: [new], origin: origin))
    }
  }

  /// The effect of a change in one domain on the effective value.
  enum Effect: Equatable {
    /// None: another domain hides the change, or the domain is not searched.
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

/// Changes by this process. While there are observers, changes are made and recorded one at a time,
/// under a lock, so that none is attributed to another thread or process.
extension DomainProcess {
  /// Sets a value in a domain, or removes it, after it has told who asked to be told before.
  /// - Returns: the observers to notify.
  package func set(
    _ value: PropertyListValue?, forKey key: String, in layer: Layer, by object: AnyObject
  ) throws(StorageError) -> [Observer] {
    notifyObservers(priorTo: [Change(key: key, value: value)], in: layer, by: object)
    return try perform([Change(key: key, value: value)], in: layer, by: object) {
      () throws(StorageError) in try layer.set(value, forKey: key)
    }
  }

  /// Has `body` make changes in a domain.
  /// - Parameter changes: the changes that `body` made; evaluated after it.
  /// - Returns: the observers to notify.
  package func perform<Failure: Error>(
    _ changes: @autoclosure () -> [Change], in layer: Layer, by object: AnyObject,
    _ body: () throws(Failure) -> Void
  ) throws(Failure) -> [Observer] {
    try perform(by: object, body) { stack, origin, isAlone in
      if !stack.list.contains(layer) { return [] }
      let changes = changes()
      // What others have changed meanwhile is not of this process.
      if changes.isEmpty { return [] }
      // An observer that was added while `body` ran without the lock may have seen later values.
      return isAlone
        ? stack.observerList.record(changes, in: layer, of: stack, by: origin)
        : stack.observerList.record(changes.map(\.key), in: stack, by: origin)
    }
  }

  /// Has `body` make changes to any of these keys, or (nil) to any key, in whichever domains. What
  /// others have changed before is recorded before, as changes by them.
  package func perform<Failure: Error>(
    changesOf keys: @autoclosure () -> [String]? = nil, by object: AnyObject,
    _ body: () throws(Failure) -> Void
  ) throws(Failure) -> [Observer] {
    for stack in observedStacks { Layer.lookForEdits(in: stack.layers) }
    return try perform(by: object, recordsBefore: true, body) { stack, origin, _ in
      stack.observerList.record(keys(), in: stack, by: origin)
    }
  }

  private func perform<Failure: Error>(
    by object: AnyObject, recordsBefore: Bool = false, _ body: () throws(Failure) -> Void,
    recording record: (_ stack: Stack, Observer.Origin, _ isAlone: Bool) -> [Observer]
  ) throws(Failure) -> [Observer] {
    let origin = Observer.Origin.here(ObjectIdentifier(object))
    if isObserved {
      return try changeLock.withLock { () throws(Failure) in
        let others =
          recordsBefore ? observedStacks.flatMap { record($0, .elsewhere, true) } : []
        try body()
        return others + observedStacks.flatMap { record($0, origin, true) }
      }
    }
    try body()
    if !isObserved { return [] }
    return changeLock.withLock { observedStacks.flatMap { record($0, origin, false) } }
  }

  /// Must be called before this process makes the changes.
  package func notifyObservers(
    priorTo changes: @autoclosure () -> [Change], in layer: Layer, by object: AnyObject
  ) {
    if !isObserved { return }
    let (changes, origin) = (changes(), Observer.Origin.here(ObjectIdentifier(object)))
    for stack in observedStacks where stack.list.contains(layer) {
      for change in changes { stack.notifyObservers(priorTo: change, in: layer, by: origin) }
    }
  }
}

extension [Observer] {
  /// Delivers to each what is pending.
  package func notify() { for observer in self { observer.notify() } }
}
