package import StrataPropertyList
import Synchronization

/// Hearing of what others change.
extension Store: Watched {
  /// Keeps a watch going; dropping it, or `cancel`, ends it.
  public final class Watch: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }

    /// Ends the watch; a call that has begun runs to its end.
    public func cancel() { end() }
  }

  /// Calls `body`, on a thread of ours, with what other processes and people changed: the keys
  /// whose values are others than before, with the new ones.
  ///
  /// Changes that follow each other quickly may be told together. Changes of this process are not
  /// told.
  public func watch(_ body: @escaping @Sendable ([Change]) -> Void) -> Watch {
    let watch = addListener { keys in
      let changes = keys.compactMap { $0.old == $0.new ? nil : Change(key: $0.key, value: $0.new) }
      if !changes.isEmpty { body(changes) }
    }
    deliver()  // what came before the watcher listened
    return watch
  }

  /// A key that others changed: with the value that it had when this was last told, and now. They
  /// may be equal: another one may have been read in between.
  package struct Touch: Sendable {
    package let key: String
    package let old: PropertyListValue?
    package let new: PropertyListValue?
  }

  /// The same of each key that was changed; and nothing is told before this returns.
  package func addListener(_ body: @escaping @Sendable ([Touch]) -> Void) -> Watch {
    let number = lock.withLock {
      refresh()
      content.takeInBase()
      if watches.isEmpty { countWatcher(+1) }
      return watches.add(body)
    }
    process.watcher.add(self)
    return Watch { [weak self] in self?.unwatch(number) }
  }

  private func unwatch(_ number: Int) {
    let isLast = lock.withLock {
      guard watches.remove(number) else { return false }
      countWatcher(-1)
      return true
    }
    if isLast { process.watcher.remove(self) }
  }

  /// What may be an edit is looked into, as a read of the store does; a writer that wakes others
  /// has left all that is to be known in the journal.
  func subscribe(_ wake: ChangeHint, to feed: Feed) -> Bool {
    let isHeardByReaders = subscribeToFiles(hint, feed)
    let isHeard = subscribeToFiles(wake, feed)
    let areSetsHeard = feed.subscribe(
      wake, to: [StorePaths.lockFileName], in: paths.hidden, for: .signals, isHeld: true)
    // What came before is looked for once more: a reader may take it in at this moment, who wakes
    // nobody, and whoever tells may have looked before.
    hint.raise()
    wake.raise()
    return isHeardByReaders && isHeard && areSetsHeard
  }

  /// Takes in what happened and tells it.
  /// - Returns: whether the plist file is missing, which is believed only at a second look.
  @discardableResult
  func deliver() -> Bool {
    let (touches, bodies, isMissing) = lock.withLock {
      table.checkAt = 0
      // A journal is looked at again once its writers know that this process wants to be woken.
      var known = journal
      refresh()
      while known !== journal {
        known = journal
        refresh()
      }
      let (touches, bodies) = watches.take(content)
      return (touches, bodies, plist.isMissing)
    }
    if takeLinkNews() { process.watcher.add(self) }
    let sorted = touches.count < 2 ? touches : touches.sorted { $0.key < $1.key }
    for body in bodies { body(sorted) }
    return isMissing
  }

  func note(silence: String?) {
    lock.withLock {
      if let silence {
        report(.shortage, paths.directory, silence)
      } else {
        settleIssues([.shortage], about: paths.directory)
      }
    }
  }

  private func takeLinkNews() -> Bool {
    lock.withLock {
      defer { hasNewLink = false }
      return hasNewLink
    }
  }

  // -- With the lock held

  /// Tells writers, through the journal, whether anybody needs to be woken. Where there is none,
  /// its being made is news enough; and a directory of all users wakes always.
  func countWatcher(_ change: Int32) {
    guard let journal, journal.isWritable else { return }
    journal.watchingForks = change > 0 ? ProcessEvents.forks : nil
    journal.watchers.pointee.wrappingAdd(
      UInt32(bitPattern: change), ordering: .sequentiallyConsistent)
  }
}
