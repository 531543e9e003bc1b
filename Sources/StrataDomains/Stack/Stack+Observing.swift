import StrataPropertyList
import StrataStorage

/// Observers of keys: told when the effective value is another one, whoever changed it and where.
extension Stack {
  /// Has `body` called with each change of the effective value of `key` from now on.
  ///
  /// Changes by this process are told on the thread that makes them; those by others on a thread of
  /// ours, one after the other, and merged where they come faster than they are told.
  package func observe(
    _ key: String, _ body: @escaping @Sendable (Observer.Change) -> Void
  ) -> Observer {
    let (observer, isFirst) = observatory.add(key, to: self, body)
    if isFirst { beginWatching() }
    return observer
  }

  package func end(_ observer: Observer) {
    observer.end()
    if observatory.remove(observer) { endWatching() }
  }

  /// Tells observers of these keys, or (nil) of all, what is another value now.
  func evaluate(_ keys: [String]?, isLocal: Bool) {
    for observer in observatory.note(keys, in: self, isLocal: isLocal) { observer.tell() }
  }

  /// The list is another one.
  func observeAnew(isLocal: Bool) {
    guard observatory.isInUse else { return }
    watchStores()
    evaluate(nil, isLocal: isLocal)
  }

  private func beginWatching() {
    process.begin(observing: self)
    missing.tell { [weak self] in
      self?.lookAnew()
      self?.observeAnew(isLocal: false)
    }
    watchStores()
    evaluate(nil, isLocal: false)  // what came before anybody watched
  }

  private func endWatching() {
    missing.tell(nil)
    observatory.watch([])
    process.end(observing: self)
  }

  private func watchStores() {
    observatory.watch(stores) { [weak self] changes in
      self?.evaluate(changes.map(\.key), isLocal: false)
    }
  }
}

extension DomainProcess {
  /// To be called when this process changed these keys, or (nil) any, of whatever domain.
  package func tellObservers(of keys: [String]?) {
    for stack in observedStacks { stack.evaluate(keys, isLocal: true) }
  }
}
