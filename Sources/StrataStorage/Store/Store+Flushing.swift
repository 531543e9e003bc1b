import CStrata
import Synchronization

/// Making changes durable, and writing them to the plist file in time.
extension Store {
  /// Makes every change that is in the journal durable.
  ///
  /// - Returns: true if a power cut from now on loses none of them; false if some value could not
  ///   be stored, or the disk refused: `issues` says why.
  public func synchronize() -> Bool {
    lock.lock()
    refresh()
    if plist.obstacle != nil || access.obstacle != nil { verify(for: .writing) }
    flushSchedule.retryNow()
    // Records over a file that nobody can read are safe, but may not be what the domain will hold.
    let isWhole = unsaved.isEmpty && loss == nil
    let isStored = (isWhole || storeUnsaved()) && (plist.obstacle == nil || !isPending)
    let journal = self.journal
    lock.unlock()
    // A journal that can't be opened may hold what others have set.
    guard let journal else { return isStored && !names.isTaken }
    guard synchronize(journal, waitingAtMost: disk.flushPatience), isStored else { return false }
    return paths.machinePlace == nil || synchronizeForMachines()
  }

  /// Writes the property list, which is all that other machines see. A process of this machine that
  /// stopped while writing it is waited for only where a power cut would leave nothing else.
  private func synchronizeForMachines() -> Bool {
    if paths.machinePlace?.isInMemory == true { return flush() }
    for _ in 0..<Self.attemptsMax {
      switch checkpoint() {
      case .done, .busy: return true
      case .unsettled: return flush()
      case .failed: return false
      case .changed: continue
      }
    }
    return false
  }

  private static let attemptsMax = 8

  /// - Parameter patience: how long to wait for another process that writes the property list,
  ///   where only that can make the changes durable.
  private func synchronize(_ journal: Journal, waitingAtMost patience: Int64) -> Bool {
    guard journal.isWritable else { return synchronizeForOthers(journal, patience) }
    if journal.hasFailed {
      return flush(waitingAtMost: patience) || replaceFailed(journal, patience)
    }
    let length = journal.length
    do throws(StorageError) {
      try synchronizeRecords(of: journal, upTo: length)
      try directories.makeDurable(nameOf: journal)
    } catch {
      lock.withLock { report(.notStored, paths.journal, error.description) }
      return false
    }
    // Ordering: pairs with the fence in `Journal.retire`: whoever retires the journal sees this
    // length, and makes as much of the next one durable; or it is seen here to be retired.
    journal.syncedLength.pointee.max(UInt64(length), ordering: .sequentiallyConsistent)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    return journal.state.isRetired ? synchronizeSuccessor(of: journal, patience) : true
  }

  /// Where the property list can't be written, replaces a journal that could not be made durable by
  /// a new one.
  private func replaceFailed(_ journal: Journal, _ patience: Int64) -> Bool {
    do throws(StorageError) {
      try compact(journal)
    } catch {
      lock.withLock { report(.notStored, paths.journal, error.description) }
    }
    guard let next = lock.withLock({ self.journal }), next !== journal, !next.hasFailed else {
      return false
    }
    return synchronize(next, waitingAtMost: patience)
  }

  /// Makes the next journal durable, too: its maker may not have known how much of it had to be.
  private func synchronizeSuccessor(of journal: Journal, _ patience: Int64) -> Bool {
    let next = lock.withLock {
      catchUp(isWriting: true)
      return self.journal
    }
    // Until there is one, nobody knows how much of it its maker will have made durable.
    guard let next, next !== journal else { return false }
    return synchronize(next, waitingAtMost: patience)
  }

  /// For a process that may only read: it may ask about what others have set, and about what it set
  /// itself while it could.
  private func synchronizeForOthers(_ journal: Journal, _ patience: Int64) -> Bool {
    do throws(StorageError) {
      guard try names.isHeld(by: journal) || journal.state.isRetired, !journal.hasFailed else {
        throw StorageError(
          .synchronize, journal.path,
          reason: "another journal has taken its place, or the disk failed to write it, and this "
            + "process may not write to it")
      }
      try disk.synchronize(journal.file)  // Durability: records and word
      try disk.synchronizeDirectory(paths.hidden)  // Durability: the name of what was synced
      try directories.makeDurable()
    } catch {
      lock.withLock { report(.notStored, paths.journal, error.description) }
      return false
    }
    // What is in memory only must go to the property list. That a flush does, if this process could
    // write it before.
    let isInMemory = paths.machinePlace?.isInMemory == true
    let isOfOthers = lock.withLock {
      if !hasAppended { settleIssues([.notStored], about: paths.journal) }
      return !hasAppended
    }
    if isInMemory, journal.length > JournalLayout.recordsStart, isOfOthers { return false }
    return journal.state.isRetired ? synchronizeSuccessor(of: journal, patience) : true
  }

  /// Synchronizes the records only, and of these only those that this process has not synchronized
  /// before: after a restart of the machine, records are found without the word that committed
  /// them.
  private func synchronizeRecords(of journal: Journal, upTo length: Int) throws(StorageError) {
    guard journal.header.boot.isKnown else {
      // Without a boot id no restart can be detected, so the word must be on the disk, too.
      return try journal.makeDurable { () throws(StorageError) in
        try disk.synchronize(journal.file)  // Durability: records and word
      }
    }
    guard length >= 0, !journal.mapping.isLost else { throw cutOff(journal) }
    // Ordering: a number that only grows; with an older one the kernel is asked once too often.
    let start = journal.ownSyncedLength.load(ordering: .relaxed)
    if start < length {
      try journal.makeDurable { () throws(StorageError) in
        try disk.synchronize(journal.mapping, of: journal.file, start..<length)  // Durability
      }
      journal.ownSyncedLength.max(length, ordering: .relaxed)
    }
    if journal.mapping.isLost { throw cutOff(journal) }
  }

  private func cutOff(_ journal: Journal) -> StorageError {
    StorageError(.synchronize, journal.path, reason: "it was truncated while in use")
  }

  /// Writes everything that is pending to the plist file now.
  /// - Returns: whether all that was set before is in the plist file.
  @discardableResult
  public func flush() -> Bool { flush(waitingAtMost: disk.flushPatience) }

  /// The same, where another process is waited for at most so long, in nanoseconds.
  func flush(waitingAtMost patience: Int64) -> Bool {
    let start = strata_coarse_now()
    let end = start + patience
    var isDurable = false
    var changesLeft = 8
    repeat {
      lock.lock()
      refresh()
      // A journal that can't be opened may hold pending changes: try once more.
      if isBarred { load() }
      if access.isUnknown, process.restOthers(than: self) { load() }
      if isBarred {
        lock.unlock()
        return false
      }
      flushSchedule.retryNow()
      let isStored = storeUnsaved()
      let isPending = self.isPending
      if !isPending { settleWhatIsStored() }
      lock.unlock()
      if !isPending { return isStored }
      switch checkpoint() {
      case .done: return isStored
      case .busy, .unsettled:
        if !isDurable, strata_coarse_now() - start > Self.durableAfter {
          isDurable = true
          synchronizeJournal()
        }
        Alarm().sleep(0, atMost: Self.flushPause)
      case .changed: changesLeft -= 1
      case .failed: return false
      }
    } while changesLeft > 0 && strata_coarse_now() < end
    return false
  }

  /// The time between two looks at another process that writes the plist file, in nanoseconds.
  private static let flushPause: Int64 = 1_000_000
  /// Who waits for longer may wait for a process that is stopped.
  private static let durableAfter: Int64 = 300_000_000

  /// Whether the journal holds changes that the plist file does not, or may be followed by one that
  /// does. The lock must be held.
  var isPending: Bool {
    guard let journal, journal.isWritable || hasAppended else { return false }
    return Int(truncatingIfNeeded: table.applied) > JournalLayout.recordsStart
      || journal.state.isRetired
  }

  /// Whether there may be a journal with pending changes, this process's own among them, that can't
  /// be opened. The lock must be held.
  private var isBarred: Bool { access.isUnknown || hasAppended && access.obstacle != nil }

  /// Withdraws issues about storing: with nothing pending, another process or a later step has done
  /// what failed here. What is set by others later is theirs.
  private func settleWhatIsStored() {
    noteEndOfWaiting()
    guard unsaved.isEmpty, canAppend, let journal, journal.isWritable else { return }
    hasAppended = false
    settleIssues([.notStored])
  }

  /// Whether there may be something to flush, as far as is known without a look at the disk.
  var mayHavePending: Bool {
    lock.withLock {
      switch phase {
      case .closed: false
      case .resting: true
      case .open: isPending || !unsaved.isEmpty || loss != nil || isBarred
      }
    }
  }

  /// Flushes on the thread that sets, since the system can't start another one. The next set asks
  /// for a thread again.
  func flushWithoutThread() {
    lock.withLock {
      flushSchedule.isScheduled = false
      report(
        .shortage, paths.plist,
        "no thread can be started; each set waits until it is in this file; "
          + "raise the limit on processes and threads (ulimit -u) or on memory")
    }
    flushOrSynchronize(waitingAtMost: min(disk.flushPatience, Self.setPatience))
  }

  /// How long a set waits for another process that writes the plist file, in nanoseconds.
  private static let setPatience: Int64 = 1_500_000_000

  /// Writes everything that is pending to the plist file, for a caller that does not come again.
  /// Who writes it already may be stopped: then the journal is made durable.
  func flushOrSynchronize(waitingAtMost patience: Int64) {
    if !flush(waitingAtMost: patience) { synchronizeJournal() }
  }

  /// Has the flusher take care of what was set, for a caller that holds the lock and so can't
  /// flush.
  func scheduleWithLock() {
    if !process.flusher.hasThread(for: self) { flushSchedule.isScheduled = false }
  }

  /// Does what is due, on the flusher's thread.
  /// - Returns: whether there will be more to do.
  func tick(now: Int64) -> Bool {
    process.watcher.startIfNeeded()
    RetiredObjects.sweep()
    lock.lock()
    settleIssues([.shortage], about: paths.plist)
    if !unsaved.isEmpty || !canAppend {
      _ = storeUnsaved()
    } else if isBarred, flushSchedule.beginRetry(at: strata_coarse_now(), isUrgent: false) {
      load()
    }
    catchUp()
    let isPending = self.isPending
    let action = flushSchedule.pace.next(
      now: now, word: table.applied, isPending: isPending,
      isFull: Int(truncatingIfNeeded: table.applied) > FlushSchedule.journalSizeSoft,
      hasUnsaved: !unsaved.isEmpty || loss != nil || isBarred)
    if action == .rest {
      flushSchedule.isScheduled = false
      settleWhatIsStored()
    }
    let (journal, isFailing) = (self.journal, flushSchedule.pace.isFailing)
    lock.unlock()
    switch action {
    case .rest: return false
    case .wait: break
    case .synchronize:
      if let journal { _ = synchronize(journal, waitingAtMost: 0) }
      if isFailing { compact() }
    case .checkpoint:
      let outcome = checkpoint()
      let mustCompact = lock.withLock {
        flushSchedule.pace.finished(outcome, now: strata_coarse_now())
        return flushSchedule.mustCompact(
          after: outcome, journalSize: self.journal?.length ?? 0, at: strata_coarse_now())
      }
      if mustCompact { compact() }
      if outcome != .done { synchronizeJournal() }
    }
    return true
  }

  /// Makes the journal durable, and waits for nobody.
  private func synchronizeJournal() {
    if let journal = lock.withLock({ journal }) { _ = synchronize(journal, waitingAtMost: 0) }
  }
}
