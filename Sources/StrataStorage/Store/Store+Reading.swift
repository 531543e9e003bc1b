import CStrata
public import StrataPropertyList

/// Reads. One that finds the table up to date takes no lock, and allocates nothing for Booleans and
/// numbers.
///
/// Nor does it make a system call, with one exception: a process that observes nothing has no
/// thread of ours that could wait for edits by hand, so once per `checkInterval` a read asks the
/// kernel.
extension Store {
  static let checkInterval: Int64 = 40_000_000

  /// The value of `key`, whatever its type.
  public func value(forKey key: String) -> PropertyListValue? {
    if let known = table.cachedValue(key, { $0?.pointee.value }) { return known }
    return look(key)
  }

  /// The Boolean stored under `key`; nil when there is none, or a value of another type.
  public func boolean(forKey key: String) -> Bool? {
    let known = table.cachedValue(key) { entry -> Bool? in
      guard case .boolean(let flag)? = entry?.pointee.value else { return nil }
      return flag
    }
    if let known { return known }
    guard case .boolean(let flag)? = look(key) else { return nil }
    return flag
  }

  /// The integer stored under `key`; nil when there is none, or a value of another type.
  public func integer(forKey key: String) -> Int64? {
    let known = table.cachedValue(key) { entry -> Int64? in
      guard case .integer(let number)? = entry?.pointee.value else { return nil }
      return number
    }
    if let known { return known }
    guard case .integer(let number)? = look(key) else { return nil }
    return number
  }

  /// The real number stored under `key`; nil when there is none, or a value of another type.
  public func real(forKey key: String) -> Double? {
    let known = table.cachedValue(key) { entry -> Double? in
      guard case .real(let number)? = entry?.pointee.value else { return nil }
      return number
    }
    if let known { return known }
    guard case .real(let number)? = look(key) else { return nil }
    return number
  }

  /// The string stored under `key`; nil when there is none, or a value of another type.
  public func string(forKey key: String) -> String? {
    let known = table.cachedValue(key) { entry -> String? in
      guard case .string(let text)? = entry?.pointee.value else { return nil }
      return text
    }
    if let known { return known }
    guard case .string(let text)? = look(key) else { return nil }
    return text
  }

  /// All values, as of one moment.
  public func snapshot() -> Snapshot {
    lock.withLock {
      refresh()
      return Snapshot(content.allShown())
    }
  }

  /// The same; throws if some of what is stored can't be read now.
  package func wholeSnapshot() throws(StorageError) -> Snapshot {
    try lock.withLock { () throws(StorageError) in
      refresh()
      if let obstacle = plist.obstacle ?? access.obstacle { throw obstacle }
      return Snapshot(content.all())
    }
  }

  /// Why it is not known what value is stored for `key`; nil if it is. What could not be stored yet
  /// is newer than anything that is. The lock must be held.
  func obstacle(to key: String) -> StorageError? {
    if let obstacle = access.obstacle, !unsaved.holds(key) { return obstacle }
    guard let obstacle = plist.obstacle else { return nil }
    return content.isKnown(key) ? nil : obstacle
  }

  /// The values of several keys, as of one moment.
  package func values(forKeys keys: [String]) -> [PropertyListValue?] {
    lock.withLock {
      refresh()
      return keys.map { content.shown($0) }
    }
  }

  /// The same; throws if other values may be stored that can't be read now.
  package func knownValues(
    forKeys keys: [String]
  ) throws(StorageError) -> [PropertyListValue?] {
    try lock.withLock { () throws(StorageError) in
      refresh()
      if isListUnread || access.obstacle != nil { _ = verify(for: .reading) }
      for key in keys { if let obstacle = obstacle(to: key) { throw obstacle } }
      return keys.map { content.known($0) }
    }
  }

  /// The value, once the table has been brought up to date.
  @inline(never)
  private func look(_ key: String) -> PropertyListValue? {
    process.watcher.startIfNeeded()
    return lock.withLock {
      if phase == .closed {
        if openForOneRead() { return content.shown(key) }
        switch search(key) {
        case .value(let value): return value
        case .absent: return nil
        case .unproved: break
        }
      }
      refresh()
      return content.shown(key)
    }
  }

  /// Brings the table up to date with every process and with the plist file.
  ///
  /// The lock must be held.
  func refresh() {
    let now = strata_coarse_now()
    if !isReady || isJournalPostponed {
      load()
      // That was a look.
      if !hint.isRaised { table.checkAt = now + Self.checkInterval }
    } else if isEpochPostponed {
      followPostponedEpoch()
    }
    if now >= table.checkAt {
      table.checkAt = now + Self.checkInterval
      feed.drain()
      // The kernel does not tell that a file can be read again or made, or that a descriptor is
      // free for it, or that a directory above it can't be written by anybody any more.
      let isBlind = isListUnread || access.obstacle != nil || isEpochDue || distrust != nil
      if !isSubscribed || hint.isRaised || isBlind { verify(for: .reading) }
    }
    if journal == nil { lookForJournal() }
    catchUp()
    if isPending, !flushSchedule.isScheduled { flushWhatOthersLeft(now) }
  }

  /// Flushes changes that have been pending for long without new ones: the process that made them
  /// has died.
  private func flushWhatOthersLeft(_ now: Int64) {
    if flushSchedule.isAbandoned(table.applied, at: now), mustSchedule() { scheduleWithLock() }
  }
}
