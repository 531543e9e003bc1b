package import StrataPropertyList
import Synchronization

/// Being notified of what others change.
extension Store: Watched {
  /// Keeps a watch going; releasing it, or `cancel`, ends it.
  public final class Watch: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }

    /// Ends the watch; a call that has begun is completed.
    public func cancel() { end() }
  }

  /// Calls `body`, on a thread of this library, with what other processes and people changed: the
  /// keys whose values differ from before, with the new values. What they changed while the watch
  /// began is delivered first, on the caller's thread, before this returns.
  ///
  /// Changes in quick succession may be reported together. Changes made by this process are not
  /// reported.
  public func watch(_ body: @escaping @Sendable ([Change]) -> Void) -> Watch {
    let watch = addListener { keys in
      let changes = keys.compactMap { $0.old == $0.new ? nil : Change(key: $0.key, value: $0.new) }
      if !changes.isEmpty { body(changes) }
    }
    deliver()  // what happened before the watcher was subscribed
    return watch
  }

  /// A key that others changed, with the value it had when it was last reported, and its value now.
  /// They may be equal: there may have been another value in between.
  package struct Touch: Sendable {
    package let key: String
    package let old: PropertyListValue?
    package let new: PropertyListValue?
  }

  /// The same with each key that was changed; does not deliver on the caller's thread.
  package func addListener(_ body: @escaping @Sendable ([Touch]) -> Void) -> Watch {
    process.useKernelEvents()
    let number = lock.withLock {
      refresh()
      content.takeInBase()
      if watches.isEmpty { countWatcher(+1) }
      return watches.add(body)
    }
    process.watcher.follow(self) { isWatched }
    return Watch { [weak self] in self?.unwatch(number) }
  }

  private var isWatched: Bool { lock.withLock { !watches.isEmpty } }

  private func unwatch(_ number: Int) {
    let (body, isLast) = lock.withLock {
      let body = watches.remove(number)
      let isLast = body != nil && watches.isEmpty
      // In a child of `fork`, it is the parent who is counted.
      if isLast, forks == ProcessEvents.forks { countWatcher(-1) }
      return (body, isLast)
    }
    withExtendedLifetime(body) {}
    if isLast { process.watcher.follow(self) { isWatched } }
  }

  /// Possible edits raise the store's own hint, too, so that it looks at the files as for a read. A
  /// writer that wakes others has left all there is to know in the journal.
  func subscribe(_ wake: ChangeHint, to feed: Feed) -> Bool {
    let isHeardByReaders = subscribeToFiles(hint, feed)
    let isHeard = subscribeToFiles(wake, feed)
    let areSetsHeard = feed.subscribe(
      wake, to: [StorePaths.lockFileName], in: paths.hidden, for: .signals, isHeld: true)
    // Look once more for what happened before: a read that is taking it in at this moment wakes
    // nobody, and the watcher may have looked already.
    hint.raise()
    wake.raise()
    return isHeardByReaders && isHeard && areSetsHeard
  }

  /// Takes in what happened, and notifies the watches.
  @discardableResult
  func deliver() -> Outlook {
    // Nobody listens any more; the watcher has yet to forget this store.
    if lock.withLock({ watches.isEmpty }) { return .settled }
    let (touches, bodies, outlook) = lock.withLock {
      table.checkAt = 0
      // Look again if there is a new journal: only now do its writers know that this process wants
      // to be woken.
      var known = journal
      refresh()
      while known !== journal {
        known = journal
        refresh()
      }
      let (touches, bodies) = watches.take(content)
      return (touches, bodies, self.outlook)
    }
    if takeLinkNews() { process.watcher.follow(self) { isWatched } }
    let sorted = touches.count < 2 ? touches : touches.sorted { $0.key < $1.key }
    for (number, body) in bodies where lock.withLock({ watches.has(number) }) { body(sorted) }
    return outlook
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

  private var outlook: Outlook {
    if plist.isMissing { return .doubtful }
    // Who may only read the journal is not counted, so that no writer wakes it.
    let isUncounted = journal?.isWritable == false && paths.audience == .user
    let isBlind = isListUnread || access.obstacle != nil || loss != nil || distrust != nil
    return hint.isRaised || isBlind || isUncounted ? .blind : .settled
  }

  /// Tells writers, through the journal, whether anybody wants to be woken. Without a journal, the
  /// feed tells when one is made; and in a domain of all users writers always wake.
  func countWatcher(_ change: Int32) {
    guard let journal, journal.isWritable else { return }
    journal.watchingForks = change > 0 ? ProcessEvents.forks : nil
    journal.watchers.pointee.wrappingAdd(
      UInt32(bitPattern: change), ordering: .sequentiallyConsistent)
    // Ordering: a watcher counts itself, and then looks at the word; a writer moves the word, and
    // then looks at the count. With this fence, and both of the writer's steps sequentially
    // consistent, one of the two sees what the other did.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
  }
}
