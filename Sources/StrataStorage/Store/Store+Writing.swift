import CStrata
public import StrataPropertyList
import Synchronization

/// Sets. One that returned is in the journal, seen by every process.
extension Store {
  /// Gives `key` a value; nil removes it.
  ///
  /// Fails only for what no domain can hold: a key of more than 64 KiB or with NUL in it, more than
  /// 512 levels of containers. When it can't be stored for want of space or permission, the value
  /// lives in this process, `issues` says why, and it is stored as soon as it can be.
  public func set(_ value: PropertyListValue?, forKey key: String) throws(StorageError) {
    if let reason = Limits.refusal(key: key, value: value) {
      throw StorageError(.set, key, reason: reason)
    }
    let size = RecordWriter.size(key: key, value: value)
    if let refusal = Self.tooLarge(size, paths.plist) { throw refusal }
    lock.lock()
    let mustSchedule = HashedKey.with(key) { write($0, value, size) }
    lock.unlock()
    if mustSchedule { process.flusher.schedule(self) }
  }

  /// Applies all changes or none, in every process's eyes and after any crash.
  public func apply(_ changes: ChangeSet) throws(StorageError) {
    _ = try apply(changes, ifStill: [])
  }

  /// Applies all changes if each of these keys still has this value, or none; else nothing.
  ///
  /// No process changes the domain between the look and the changes: what was made of the values
  /// can't undo what another one set meanwhile.
  /// - Returns: whether they were applied.
  public func apply(
    _ changes: ChangeSet, ifStill expected: [Change]
  ) throws(StorageError) -> Bool {
    if let refusal = Self.refusal(of: changes, paths.plist) { throw refusal }
    if changes.isEmpty { return true }
    lock.lock()
    let mustSchedule = write(changes, ifStill: expected)
    lock.unlock()
    if mustSchedule == true { process.flusher.schedule(self) }
    return mustSchedule != nil
  }

  /// Why no domain, such as that in this file, can take these changes; nil when it can.
  package static func refusal(of changes: ChangeSet, _ path: String) -> StorageError? {
    Limits.refusal(of: changes) ?? tooLarge(RecordWriter.size(of: changes), path)
  }

  private static func tooLarge(_ size: Int, _ path: String) -> StorageError? {
    guard size > changeSetSizeMax else { return nil }
    return StorageError(
      .set, path,
      reason: "a change set has at most \(changeSetSizeMax) bytes, this one has \(size); "
        + "apply it in parts, or store large data in files")
  }

  /// Bytes in one change set, as the journal stores it.
  public static let changeSetSizeMax = Journal.changeSetSizeMax

  /// - Returns: whether the flusher must be told.
  private func write(_ key: HashedKey, _ value: PropertyListValue?, _ size: Int) -> Bool {
    table.fetchSlot(key)
    for _ in 0..<Self.triesMax {
      guard let journal = beginWriting(size, key) else { break }
      if content.known(key) == value {
        release(size, in: journal)
        return false
      }
      let isCommitted = commit(size, to: journal) {
        $0.put(key: key.bytes, value: value)
      } then: {
        table.put(key, value)
      }
      if !isCommitted { continue }
      if journal.mapping.isLost { return rewrite(ChangeSet([Change(key: key.text, value: value)])) }
      return finishWriting(journal)
    }
    return keep(ChangeSet([Change(key: key.text, value: value)]))
  }

  /// Each time another process was faster, or lost patience.
  static let triesMax = 1_000

  /// - Returns: whether the flusher must be told.
  func write(_ changes: ChangeSet) -> Bool { write(changes, ifStill: []) == true }

  /// - Returns: the same; nil when another value was found than expected.
  private func write(_ changes: ChangeSet, ifStill expected: [Change]) -> Bool? {
    let changes = changes.withoutOverruled
    let size = RecordWriter.size(of: changes)
    for attempt in 0..<Self.triesMax {
      guard let journal = beginWriting(size) else { break }
      guard holds(expected) else {
        release(size, in: journal)
        return nil
      }
      let needed = attempt < Self.exactTriesMax ? needed(changes) : changes
      if needed.isEmpty {
        release(size, in: journal)
        return false
      }
      guard let isCommitted = commit(needed, insteadOf: size, to: journal), isCommitted else {
        continue
      }
      if journal.mapping.isLost { return rewrite(changes) }
      return finishWriting(journal)
    }
    return holds(expected) ? keep(changes) : nil
  }

  /// From then on a change set is written as it is, also what is there already.
  private static let exactTriesMax = 16

  /// - Parameter size: what is reserved.
  /// - Returns: whether it was committed; nil when it needs other room, and another process took
  ///   that.
  func commit(
    _ changes: ChangeSet, insteadOf size: Int, to journal: Journal
  ) -> Bool? {
    let needed = RecordWriter.size(of: changes)
    if JournalRecord.size(payload: needed) != JournalRecord.size(payload: size) {
      release(size, in: journal)
      guard journal.reserve(JournalRecord.size(payload: needed), at: Int(table.applied)) else {
        return nil
      }
    }
    return commit(needed, to: journal) {
      $0.put(changes)
    } then: {
      content.apply(changes)
    }
  }

  private func holds(_ expected: [Change]) -> Bool {
    expected.allSatisfy { content.known($0.key) == $0.value }
  }

  /// Appends a record where it was reserved, and then has the table follow it: a reader sees that
  /// it is not up to date from the moment of the commit until then.
  /// - Returns: false when somebody lost patience.
  @inline(__always)
  private func commit(
    _ payload: Int, to journal: Journal, _ write: (inout RecordWriter) -> Void,
    then apply: () -> Void
  ) -> Bool {
    let length = Int(truncatingIfNeeded: table.applied)
    guard journal.append(payload: payload, at: length, step: step, write) else { return false }
    apply()
    table.applied = JournalWord.key(length: length + JournalRecord.size(payload: payload))
    return true
  }

  private func release(_ payload: Int, in journal: Journal) {
    journal.release(JournalRecord.size(payload: payload), at: Int(table.applied))
  }

  /// A value that is there already needs no write, nor does one that a later edit takes back.
  private func needed(_ changes: ChangeSet) -> ChangeSet {
    if changes.replacesAll { return changes }
    return ChangeSet(changes.changes.filter { content.known($0.key) != $0.value })
  }

  /// The journal with room for such a record reserved at its end, and the table up to date; nil
  /// when nothing can be stored.
  @inline(__always)
  private func beginWriting(_ payload: Int, _ key: HashedKey? = nil) -> Journal? {
    if !isReady { load() }
    if let key { table.fetchEntry(key) }
    feed.drain()
    if hint.isRaised || !isSubscribed { verifyForWriting() }
    if journal == nil, unsaved.isEmpty { load(making: true) }
    guard canAppend, unsaved.isEmpty, let journal, journal.isWritable else {
      // Something could not be stored before: that comes first, so that order is kept.
      return storeUnsaved() ? reserve(payload) : nil
    }
    let length = Int(truncatingIfNeeded: table.applied)
    if journal.hasMovedEpoch, journal.hasRoom(for: payload, at: length),
      journal.reserve(JournalRecord.size(payload: payload), at: length)
    {
      return journal
    }
    return reserve(payload)
  }

  /// Tells those who know of no journal, before the first record.
  func moveEpoch(for journal: Journal) {
    process.epoch(for: paths)?.add()
    journal.hasMovedEpoch = true
  }

  /// Others wrote, or room is to be made: reserves where the journal ends now.
  func reserve(_ payload: Int) -> Journal? {
    let size = JournalRecord.size(payload: payload)
    var retired: Journal?
    for _ in 0..<Self.triesMax {
      catchUp(isWriting: true)
      guard canAppend, let journal, journal.isWritable else { break }
      if journal.state.isRetired {
        // At this moment, or for good where no other journal can be made.
        if journal === retired { break }
        retired = journal
        continue
      }
      if !journal.hasMovedEpoch { moveEpoch(for: journal) }
      let word = journal.awaitTurn()
      if !word.isSound || word.isRetired { continue }
      if compactIfLarge(payload, journal, word.length) { continue }
      guard makeRoom(for: payload, at: word.length, in: journal) else { return nil }
      guard journal.reserve(size, at: word.length) else { continue }
      // Nobody else appends now, so that one more look is enough.
      if apply(upTo: word.length, of: journal) { return journal }
      journal.release(size, at: word.length)
    }
    return nil
  }

  /// Stores what could not be stored before.
  /// - Returns: whether nothing is left.
  func storeUnsaved() -> Bool {
    guard flushSchedule.beginRetry(at: strata_coarse_now(), isUrgent: unsaved.isEmpty) else {
      return false
    }
    let isNowhere = !unsaved.isEmpty && journal?.isWritable != true
    if let loss, let journal {
      recover(from: journal, loss)
    } else if !canAppend || isNowhere {
      load(making: !unsaved.isEmpty)
    }
    for _ in 0..<Self.triesMax {
      guard !unsaved.isEmpty else { return loss == nil }
      let changes = unsaved.changeSet
      let size = RecordWriter.size(of: changes)
      guard canAppend, let journal = reserve(size) else { return false }
      let isCommitted = commit(size, to: journal) {
        $0.put(changes)
      } then: {
        unsaved.removeAll()
      }
      if !isCommitted { continue }
      settleIssues([.notStored])
      if finishWriting(journal) { scheduleWithLock() }
      return true
    }
    return false
  }

  func makeRoom(for payload: Int, at length: Int, in journal: Journal) -> Bool {
    if journal.hasRoom(for: payload, at: length) { return true }
    do throws(StorageError) {
      try journal.makeRoom(for: payload, at: length, on: disk)
      return true
    } catch {
      report(.notStored, paths.journal, error.description)
      return false
    }
  }

  /// A journal that nobody flushes for long, as where every process dies soon, would have each
  /// process that starts read more. And one that is full has no room for what is set, though it may
  /// have for what counts.
  private func compactIfLarge(_ payload: Int, _ journal: Journal, _ length: Int) -> Bool {
    guard length + JournalRecord.size(payload: payload) > journal.mapping.count / 4,
      !journal.hasRoom(for: payload, at: length)
    else { return false }
    do throws(StorageError) {
      return try compactNow(journal)
    } catch {
      report(.notStored, paths.journal, error.description)
      return false
    }
  }

  /// Keeps in memory what can't be stored.
  private func keep(_ changes: ChangeSet) -> Bool {
    if changes.isEmpty { return false }
    if issueList.last?.kind != .notStored {
      report(
        .notStored, paths.plist,
        "values are kept in this process only until the directory can be written to")
    }
    unsaved.add(changes)
    content.apply(changes)
    return mustSchedule()
  }

  /// The journal's file was cut off under the write: what was written is nowhere.
  private func rewrite(_ changes: ChangeSet) -> Bool {
    if let journal { recover(from: journal, "it was truncated while in use") }
    return write(changes)
  }

  func finishWriting(_ journal: Journal) -> Bool {
    // Who may only read can't count as a watcher: what is everyone's always wakes.
    if paths.audience == .everyone || journal.hasOtherWatchers { wakeOthers() }
    if flushSchedule.mustHurry(at: Int(truncatingIfNeeded: table.applied)) {
      process.flusher.hurry()
    }
    return mustSchedule()
  }

  private func wakeOthers() {
    do throws(StorageError) {
      try currentLockOwner().signal()
    } catch {
      report(.notStored, error.path, error.description)
    }
  }

  func mustSchedule() -> Bool {
    if flushSchedule.isScheduled || !process.isAutomatic || StorageProcess.isBrief { return false }
    flushSchedule.isScheduled = true
    return true
  }
}
