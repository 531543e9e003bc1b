import StrataPropertyList
package import StrataStorage

/// Observers of keys: told when the effective value is another one, whoever changed it and where.
///
/// Changes by this process are told on the thread that makes them; those by others on a thread of
/// ours, one after the other, and merged where they come faster than they are told.
extension Stack {
  /// Tells `observer` of each change of its keys' effective values from now on.
  package func begin(_ observer: Observer) {
    if process.changing.withLock({ observerList.add(observer, in: self) }) {
      watchWhatIsObserved()
      notifyObservers(of: nil)  // what came before anybody watched
    }
    observer.tell()
  }

  /// Has an observer, while it is told, observe other keys from now on.
  package func move(_ observer: Observer, to keys: [String]) {
    process.changing.withLock { observerList.move(observer, to: keys, in: self) }
  }

  /// Ends that: no call begins after it.
  package func end(_ observer: Observer) {
    observer.end()
    if observerList.remove(observer, in: self) { watchWhatIsObserved() }
  }

  /// Tells observers of these keys, or (nil) of all, what is another value now, by others.
  func notifyObservers(of keys: [String]?) {
    // What changed in one domain may be hidden by what changed before it in another.
    Layer.expectNews(in: layers)
    process.changing.withLock { observerList.note(keys, in: self, by: .elsewhere) }.tell()
  }

  /// The list is another one.
  func observeAnew() {
    guard observerList.count > 0 else { return }
    watchWhatIsObserved()
    notifyObservers(of: nil)
  }

  private func watchWhatIsObserved() {
    observerList.watch { isInUse in
      if isInUse {
        missing.tell { [weak self] in
          self?.lookAnew()
          self?.observeAnew()
        }
        return stores
      }
      missing.tell(nil)
      return []
    } _: { [weak self] keys in
      self?.notifyObservers(of: keys)
    }
  }

  // -- Before a change

  /// Warns observers who want that of what a change in a domain will change.
  func warnObservers(of change: Change, in layer: Layer, by origin: Observer.Origin) {
    let warned = observerList.warned(of: change.key)
    guard !warned.isEmpty, case .value(let new) = effect(of: change, in: layer) else { return }
    let old = value(forKey: change.key)
    if old == new { return }
    for observer in warned {
      observer.warn(of: Observer.Change(old: [old], new: [new], origin: origin))
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
  package func make<Failure: Error>(
    _ changes: @autoclosure () -> [Change], in layer: Layer, by object: AnyObject,
    _ body: () throws(Failure) -> Void
  ) throws(Failure) -> [Observer] {
    try make(by: object, body) { stack, origin, isAlone in
      // Whoever came while `body` ran without the lock may have seen what was set after it.
      isAlone
        ? stack.observerList.note(changes(), in: layer, of: stack, by: origin)
        : stack.observerList.note(changes().map(\.key), in: stack, by: origin)
    }
  }

  /// The same where any of these keys, or (nil) any key, may have another value.
  package func make<Failure: Error>(
    changesOf keys: @autoclosure () -> [String]? = nil, by object: AnyObject,
    _ body: () throws(Failure) -> Void
  ) throws(Failure) -> [Observer] {
    try make(by: object, body) { stack, origin, _ in
      stack.observerList.note(keys(), in: stack, by: origin)
    }
  }

  private func make<Failure: Error>(
    by object: AnyObject, _ body: () throws(Failure) -> Void,
    noting note: (_ stack: Stack, Observer.Origin, _ isAlone: Bool) -> [Observer]
  ) throws(Failure) -> [Observer] {
    let origin = Observer.Origin.here(ObjectIdentifier(object))
    if isObserved {
      return try changing.withLock { () throws(Failure) in
        try body()
        return observedStacks.flatMap { note($0, origin, true) }
      }
    }
    try body()
    if !isObserved { return [] }
    return changing.withLock { observedStacks.flatMap { note($0, origin, false) } }
  }

  /// To be called before this process makes these changes.
  package func warnObservers(
    of changes: @autoclosure () -> [Change], in layer: Layer, by object: AnyObject
  ) {
    if !isObserved { return }
    let (changes, origin) = (changes(), Observer.Origin.here(ObjectIdentifier(object)))
    for stack in observedStacks {
      for change in changes { stack.warnObservers(of: change, in: layer, by: origin) }
    }
  }
}

extension [Observer] {
  /// Calls those who were noted to have something to hear.
  package func tell() { for observer in self { observer.tell() } }
}
