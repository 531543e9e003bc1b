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
    let mustSchedule = Key.with(key) { write($0, value, size) }
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
        + "apply it in parts, and store large data in files")
  }

  /// Bytes in one change set, as the journal stores it.
  public static let changeSetSizeMax = Journal.mappedSize / 2

  /// - Returns: whether the flusher must be told.
  private func write(_ key: Key, _ value: PropertyListValue?, _ size: Int) -> Bool {
    table.fetchSlot(key)
    guard let (journal, shared) = beginWriting(key) else {
      return keep(ChangeSet([Change(key: key.text, value: value)]))
    }
    if known(key) == value {
      shared.unlock()
      return false
    }
    let isCommitted = commit(size, to: journal) {
      $0.put(key: key.bytes, value: value)
    } then: {
      table.put(key, value)
    }
    shared.unlock()
    guard isCommitted else { return keep(ChangeSet([Change(key: key.text, value: value)])) }
    if journal.mapping.isLost { return rewrite(ChangeSet([Change(key: key.text, value: value)])) }
    return finishWriting(journal)
  }

  /// - Returns: whether the flusher must be told.
  func write(_ changes: ChangeSet) -> Bool {
    guard let (journal, shared) = beginWriting() else { return keep(changes) }
    return write(changes, to: journal, shared)
  }

  /// - Returns: the same; nil when another value was found than expected.
  private func write(_ changes: ChangeSet, ifStill expected: [Change]) -> Bool? {
    guard let (journal, shared) = beginWriting() else {
      return holds(expected) ? keep(changes) : nil
    }
    guard holds(expected) else {
      shared.unlock()
      return nil
    }
    return write(changes, to: journal, shared)
  }

  private func holds(_ expected: [Change]) -> Bool {
    expected.allSatisfy { known($0.key) == $0.value }
  }

  /// Gives the lock back at the end.
  /// - Returns: whether the flusher must be told.
  func write(_ changes: ChangeSet, to journal: Journal, _ shared: SharedLock) -> Bool {
    let changes = needed(changes)
    if changes.isEmpty {
      shared.unlock()
      return false
    }
    let isCommitted = commit(RecordWriter.size(of: changes), to: journal) {
      $0.put(changes)
    } then: {
      applyToTable(changes)
    }
    shared.unlock()
    guard isCommitted else { return keep(changes) }
    if journal.mapping.isLost { return rewrite(changes) }
    return finishWriting(journal)
  }

  /// Appends a record, and then has the table follow it: a reader sees that it is not up to date
  /// from the moment of the commit until then.
  /// - Returns: false when there is no room.
  @inline(__always)
  private func commit(
    _ payload: Int, to journal: Journal, _ write: (inout RecordWriter) -> Void,
    then apply: () -> Void
  ) -> Bool {
    let length = Journal.length(table.applied)
    guard makeRoom(for: payload, at: length, in: journal) else { return false }
    let end = journal.append(payload: payload, at: length, step: step, write)
    apply()
    table.applied = Journal.word(length: end)
    return true
  }

  /// A value that is there already needs no write, nor does one that a later edit takes back.
  private func needed(_ changes: ChangeSet) -> ChangeSet {
    let changes = changes.withoutOverruled
    if changes.replacesAll { return changes }
    return ChangeSet(changes.changes.filter { known($0.key) != $0.value })
  }

  /// The journal with its lock taken, and the table up to date; nil when nothing can be stored.
  @inline(__always)
  private func beginWriting(_ key: Key? = nil) -> (Journal, SharedLock)? {
    if !isReady { load() }
    if let key { table.fetchEntry(key) }
    feed.drain()
    if suspicion.isRaised || !isWatching { verify(becauseOf: .writing) }
    if journal == nil, unstored.isEmpty { load(making: true) }
    guard canAppend, unstored.isEmpty, let journal, journal.isWritable else {
      return beginWritingAfterTrouble()
    }
    if !journal.isAnnounced { announce(journal) }
    do throws(StorageError) {
      let shared = try lockShared(journal)
      if journal.word.pointee.load(ordering: .acquiring) == table.applied {
        return (journal, shared)
      }
      shared.unlock()
    } catch {
      report(.notStored, paths.journal, error.description)
      return nil
    }
    return lockUpToDate()
  }

  /// Tells those who know of no journal, before the first record.
  private func announce(_ journal: Journal) {
    process.births(for: paths)?.add()
    journal.isAnnounced = true
  }

  /// Others wrote: takes that in, with the lock held at the end so that it stays so.
  func lockUpToDate() -> (Journal, SharedLock)? {
    for _ in 0..<1_000 {
      catchUp()
      guard canAppend, let journal, journal.isWritable else { return nil }
      if !journal.isAnnounced { announce(journal) }
      do throws(StorageError) {
        let shared = try lockShared(journal)
        let word = journal.word.pointee.load(ordering: .acquiring)
        if word == table.applied { return (journal, shared) }
        if word & JournalLayout.retiredBit == 0 {
          // Nobody else appends now, so that one more look is enough.
          catchUp()
          if self.journal === journal,
            journal.word.pointee.load(ordering: .acquiring) == table.applied
          {
            return (journal, shared)
          }
        }
        shared.unlock()
      } catch {
        report(.notStored, paths.journal, error.description)
        return nil
      }
    }
    return nil
  }

  /// Something could not be stored before: tries that first, so that order is kept.
  private func beginWritingAfterTrouble() -> (Journal, SharedLock)? {
    guard storeUnstored(), canAppend, let journal, journal.isWritable else { return nil }
    return lockUpToDate()
  }

  /// Stores what could not be stored before.
  /// - Returns: whether nothing is left.
  func storeUnstored() -> Bool {
    let now = strata_coarse_now()
    guard now >= retryAt || unstored.isEmpty else { return false }
    retryAt = now + Self.retryInterval
    let isNowhere = !unstored.isEmpty && journal?.isWritable != true
    if !canAppend || isNowhere { load(making: !unstored.isEmpty) }
    guard !unstored.isEmpty else { return true }
    guard canAppend, let (journal, shared) = lockUpToDate() else { return false }
    let changes = unstored.changeSet
    let isCommitted = commit(RecordWriter.size(of: changes), to: journal) {
      $0.put(changes)
    } then: {
      unstored.removeAll()
    }
    shared.unlock()
    guard isCommitted else { return false }
    settleIssues([.notStored])
    if finishWriting(journal) { process.flusher.schedule(self) }
    return true
  }

  private static let retryInterval: Int64 = 100_000_000

  private func makeRoom(for payload: Int, at length: Int, in journal: Journal) -> Bool {
    if journal.hasRoom(for: payload, at: length) { return true }
    do throws(StorageError) {
      try journal.makeRoom(for: payload, at: length, on: disk)
      return true
    } catch {
      report(.notStored, paths.journal, error.description)
      return false
    }
  }

  /// Keeps in memory what can't be stored.
  private func keep(_ changes: ChangeSet) -> Bool {
    if trouble.last?.kind != .notStored {
      report(
        .notStored, paths.plist,
        "values live in this process only until the directory can be written to")
    }
    unstored.add(changes)
    applyToTable(changes)
    return mustSchedule()
  }

  /// The journal's file was cut off under the write: what was written is nowhere.
  private func rewrite(_ changes: ChangeSet) -> Bool {
    if let journal { recover(from: journal, "it was cut off while it was in use") }
    return write(changes)
  }

  private func finishWriting(_ journal: Journal) -> Bool {
    // Who may only read can't count as a watcher: what is everyone's always wakes.
    if paths.audience == .everyone || journal.hasOtherWatchers { holder?.signal() }
    if Journal.length(table.applied) > hurryAt { hurry() }
    return mustSchedule()
  }

  /// A journal past this size is checkpointed without waiting for a quiet moment.
  static let journalSizeSoft = 16 << 20

  private func hurry() {
    hurryAt = Journal.length(table.applied) + Self.journalSizeSoft
    process.flusher.hurry()
  }

  func mustSchedule() -> Bool {
    if isScheduled || !process.isAutomatic || StorageProcess.isBrief { return false }
    isScheduled = true
    return true
  }
}
