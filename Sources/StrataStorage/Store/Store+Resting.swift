/// Giving back system resources, so that a process that uses ten thousand domains has the files of
/// only a few open.
extension Store {
  /// Closes the journal and forgets the values; the next access finds them on disk again, including
  /// what is pending. Does nothing, and returns false, while something is going on, somebody
  /// watches the domain, or what was known of its property list could not be found there again.
  ///
  /// Locking: the caller may hold another store's lock, so this one is tried, and never waited for.
  func rest() -> Bool {
    guard lock.tryLock() else { return false }
    defer { lock.unlock() }
    guard isReady, journal != nil, canAppend, unsaved.isEmpty, watches.isEmpty,
      checkpointTurn == .none, !content.remembersMore
    else { return false }
    phase = .resting
    feed.unsubscribe(hint)
    epoch = nil
    content.removeAll()
    follow(.none)
    lockOwner = nil
    return true
  }
}
