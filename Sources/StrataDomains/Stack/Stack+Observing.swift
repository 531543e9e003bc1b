package import StrataPropertyList
package import StrataStorage

/// Observers of keys: told when the effective value is another one, whoever changed it and where.
///
/// Changes by this process are told on the thread that makes them; those by others on a thread of
/// ours, one after the other, and merged where they come faster than they are told.
extension Stack {
  /// Tells `observer` of each change of its keys' effective values from now on.
  package func begin(_ observer: Observer) {
    if observatory.add(observer, in: self) {
      watchWhatIsObserved()
      tellObservers(of: nil, by: .elsewhere)  // what came before anybody watched
    }
    observer.tell()
  }

  /// Has an observer, while it is told, observe other keys from now on.
  package func move(_ observer: Observer, to keys: [String]) {
    observatory.move(observer, to: keys, in: self)
  }

  /// Ends that: no call begins after it.
  package func end(_ observer: Observer) {
    observer.end()
    if observatory.remove(observer) { watchWhatIsObserved() }
  }

  /// Tells observers of these keys, or (nil) of all, what is another value now.
  func tellObservers(of keys: [String]?, by origin: Observer.Origin) {
    // What changed in one domain may be hidden by what changed before it in another.
    if origin == .elsewhere { Layer.expectNews(in: layers) }
    for observer in observatory.note(keys, in: self, by: origin) { observer.tell() }
  }

  /// The list is another one.
  func observeAnew(by origin: Observer.Origin) {
    guard observatory.count > 0 else { return }
    watchWhatIsObserved()
    tellObservers(of: nil, by: origin)
  }

  private func watchWhatIsObserved() {
    observatory.watch { isInUse in
      if isInUse {
        process.begin(observing: self)
        missing.tell { [weak self] in
          self?.lookAnew()
          self?.observeAnew(by: .elsewhere)
        }
        return stores
      }
      missing.tell(nil)
      process.end(observing: self)
      return []
    } _: { [weak self] keys in
      self?.tellObservers(of: keys, by: .elsewhere)
    }
  }

  // -- Before a change

  /// Warns observers who want that of what a set in a domain will change.
  func warnObservers(
    of key: String, _ value: PropertyListValue?, in layer: Layer, by origin: Observer.Origin
  ) {
    let warned = observatory.warned(of: key)
    guard !warned.isEmpty, let change = effect(of: key, value, in: layer, by: origin) else {
      return
    }
    for observer in warned { observer.warn(of: change) }
  }

  /// What a set would change; nil when the effective value stays the same.
  private func effect(
    of key: String, _ value: PropertyListValue?, in layer: Layer, by origin: Observer.Origin
  ) -> Observer.Change? {
    let layers = self.layers
    guard let place = layers.firstIndex(where: { $0 == layer }) else { return nil }
    let above = layers[..<place].lazy.compactMap { $0.value(forKey: key) }.first
    let below = layers[(place + 1)...].lazy.compactMap { $0.value(forKey: key) }.first
    let (old, new) = (layer.value(forKey: key) ?? below, value ?? below)
    return above != nil || old == new
      ? nil : Observer.Change(old: [old], new: [new], origin: origin)
  }
}

extension DomainProcess {
  /// To be called when this process changed these keys, or (nil) any, of whatever domain.
  package func tellObservers(of keys: [String]?, by object: AnyObject) {
    for stack in observedStacks {
      stack.tellObservers(of: keys, by: .here(ObjectIdentifier(object)))
    }
  }

  /// To be called before this process sets or removes a key.
  package func warnObservers(
    of key: String, _ value: PropertyListValue?, in layer: Layer, by object: AnyObject
  ) {
    for stack in observedStacks {
      stack.warnObservers(of: key, value, in: layer, by: .here(ObjectIdentifier(object)))
    }
  }
}
