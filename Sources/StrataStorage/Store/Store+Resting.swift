/// Giving back what a domain takes of the system, so that a process that uses ten thousand of them
/// has files of a few open.
extension Store {
  /// Closes the journal and forgets the values; who needs them next finds them on the disk, also
  /// what is pending. Not where something is going on, or somebody wants to be told.
  ///
  /// Locking: the caller may hold the lock of another store, so that this one's is not waited for.
  func rest() -> Bool {
    guard lock.tryLock() else { return false }
    defer { lock.unlock() }
    guard isReady, journal != nil, canAppend, unsaved.isEmpty, watches.isEmpty,
      checkpointTurn == .none
    else { return false }
    phase = .resting
    feed.unsubscribe(hint)
    epoch = nil
    content.removeAll()
    follow(nil)
    lockOwner = nil
    return true
  }
}
