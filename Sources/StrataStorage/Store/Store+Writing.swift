import CStrata
public import StrataPropertyList
import Synchronization

/// Sets. Once one returns, it is in the journal, and every process sees it.
extension Store {
  /// Gives `key` a value; nil removes it.
  ///
  /// Throws only for what no domain can hold: a key of more than 64 KiB or with NUL in it, a value
  /// of more than 511 levels of containers, or a change set that is too large. If it can't be
  /// stored for lack of space or permission, the value lives in this process, `issues` says why,
  /// and it is stored as soon as possible.
  public func set(_ value: PropertyListValue?, forKey key: String) throws(StorageError) {
    var refusal: StorageError?
    let mustSchedule = HashedKey.with(key) { hashed in
      table.fetchSlot(hashed)  // until it is there, key and value are looked at
      if let reason = Limits.refusal(key: key, value: value) {
        refusal = StorageError(.set, key, reason: reason)
        return false
      }
      let size = RecordWriter.size(key: key, value: value)
      refusal = Self.tooLarge(size, paths.plist)
      if refusal != nil { return false }
      lock.lock()
      defer { lock.unlock() }
      return write(hashed, value, size)
    }
    if let refusal { throw refusal }
    if mustSchedule { process.flusher.schedule(self) }
  }

  /// Applies all changes or none, in every process's eyes and after any crash.
  public func apply(_ changes: ChangeSet) throws(StorageError) {
    _ = try apply(changes, ifStill: [])
  }

  /// Applies all changes if each of the `expected` keys still has its value (or none, for nil);
  /// else nothing.
  ///
  /// No process changes the domain between the check and the changes: what was computed from these
  /// values can't undo what another process set meanwhile. Throws also if a key is expected to have
  /// no value, but the property list that may have one can't be read.
  /// - Returns: whether they were applied.
  public func apply(
    _ changes: ChangeSet, ifStill expected: [Change]
  ) throws(StorageError) -> Bool {
    if let refusal = Self.refusal(of: changes, paths.plist) { throw refusal }
    if changes.isEmpty { return true }
    let mustSchedule = try lock.withLock { () throws(StorageError) in
      try write(changes, ifStill: expected)
    }
    if mustSchedule == true { process.flusher.schedule(self) }
    return mustSchedule != nil
  }

  /// Replaces all values by these, unless this was done under the same number before, whatever
  /// became of the values since. Throws if it can't be stored now.
  package func replaceAll(
    by values: [String: PropertyListValue], once number: UInt64
  ) throws(StorageError) {
    let changes = ChangeSet(setting: values, replacesAll: true)
    if let refusal = Self.refusal(of: changes, paths.plist) { throw refusal }
    let mustSchedule = try lock.withLock { () throws(StorageError) in
      try write(changes, ifStill: [], once: number)
    }
    if mustSchedule == true { process.flusher.schedule(self) }
  }

  /// Why no domain, such as the one of this file, can take these changes; nil if it can.
  package static func refusal(of changes: ChangeSet, _ path: String) -> StorageError? {
    Limits.refusal(of: changes) ?? tooLarge(RecordWriter.size(of: changes), path)
  }

  private static func tooLarge(_ size: Int, _ path: @autoclosure () -> String) -> StorageError? {
    guard size > changeSetSizeMax else { return nil }
    return StorageError(
      .set, path(),
      reason: "a change set has at most \(changeSetSizeMax) bytes, this one has \(size); "
        + "apply it in parts, or store large data in files")
  }

  /// The maximum size of a change set in bytes, as the journal stores it.
  public static let changeSetSizeMax = Journal.changeSetSizeMax

  /// - Returns: whether the flusher must be told, once the lock is released.
  private func write(_ key: HashedKey, _ value: PropertyListValue?, _ size: Int) -> Bool {
    for _ in 0..<Self.triesMax {
      prepareWriting(key)
      if isIdle, has(key, value) { return false }
      guard let journal = reserveAtEnd(size) else { break }
      if has(key, value) {
        release(size, in: journal)
        return false
      }
      let isCommitted = commit(size, to: journal) {
        $0.put(key: key.bytes, value: value)
      } then: {
        table.put(key, value)
      }
      if !isCommitted { continue }
      if journal.mapping.isLost {
        recoverCutOff()
        return write(ChangeSet([Change(key: key.text, value: value)]))
      }
      return finishWriting(journal)
    }
    return keep(ChangeSet([Change(key: key.text, value: value)]))
  }

  /// Each further attempt means that another process was faster, or has made our record void.
  static let triesMax = 1_000

  /// - Returns: whether the flusher must be told.
  func write(_ changes: ChangeSet) -> Bool {
    do throws(StorageError) {
      return try write(changes, ifStill: []) == true
    } catch {
      return false  // where nothing is expected, nothing is thrown
    }
  }

  /// - Parameter number: of a change set that is made only once, and not kept in memory if it can't
  ///   be stored.
  /// - Returns: the same; nil if a key had another value than expected.
  private func write(
    _ changes: ChangeSet, ifStill expected: [Change], once number: UInt64? = nil
  ) throws(StorageError) -> Bool? {
    let changes = changes.withoutOverruled
    let size = RecordWriter.size(of: changes)
    if !expected.isEmpty, access.isUnknown { flushSchedule.retryNow() }
    for attempt in 0..<Self.triesMax {
      prepareWriting()
      if isIdle, number == nil, obstacle(to: expected) == nil {
        guard holds(expected) else { return nil }
        if needed(changes).isEmpty { return false }
      }
      guard let journal = reserveAtEnd(size) else { break }
      if let obstacle = obstacle(to: expected) {
        release(size, in: journal)
        if attempt > 0 { throw obstacle }
        _ = verify(for: .writing)
        continue
      }
      guard holds(expected) else {
        release(size, in: journal)
        return nil
      }
      let needed = attempt < Self.exactTriesMax ? needed(changes) : changes
      if needed.isEmpty || number != nil && journal.onceMade == number {
        release(size, in: journal)
        return false
      }
      if let number { journal.note(OnceMark(number: number, start: Int(table.applied))) }
      guard let isCommitted = commit(needed, insteadOf: size, to: journal), isCommitted else {
        continue
      }
      if journal.mapping.isLost {
        recoverCutOff()
        return try write(changes, ifStill: [], once: number)
      }
      return finishWriting(journal)
    }
    if number != nil {
      let reason = issueList.last?.text ?? "its journal can't be written"
      throw StorageError(.set, paths.plist, reason: reason)
    }
    if let obstacle = obstacle(to: expected) { throw obstacle }
    return holds(expected) ? keep(changes) : nil
  }

  /// From this attempt on a change set is written whole, even what is there already: then it takes
  /// exactly the room that is reserved.
  private static let exactTriesMax = 16

  /// - Parameter size: the payload for which room is reserved.
  /// - Returns: whether it was committed; nil if it needs other room, and another process took
  ///   that.
  @inline(never)
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

  /// Why it is not known what values are stored for these keys; nil if it is.
  private func obstacle(to expected: [Change]) -> StorageError? {
    for change in expected { if let obstacle = obstacle(to: change.key) { return obstacle } }
    return nil
  }

  private func holds(_ expected: [Change]) -> Bool {
    expected.allSatisfy { content.known($0.key) == $0.value }
  }

  /// Appends a record where room is reserved, and then updates the table: between the two, readers
  /// see by the word that the table is behind.
  /// - Returns: false if somebody has made the record void, for having waited too long.
  @inline(__always)
  func commit(
    _ payload: Int, to journal: Journal, _ write: (inout RecordWriter) -> Void,
    then apply: () -> Void
  ) -> Bool {
    let length = Int(truncatingIfNeeded: table.applied)
    guard journal.append(payload: payload, at: length, step: appendStep, write)
    else { return false }
    hasAppended = true
    apply()
    table.applied = JournalWord.key(length: length + JournalRecord.size(payload: payload))
    return true
  }

  func release(_ payload: Int, in journal: Journal) {
    journal.release(JournalRecord.size(payload: payload), at: Int(table.applied))
  }

  /// The changes without values that are there already, which need no write.
  private func needed(_ changes: ChangeSet) -> ChangeSet {
    if changes.replacesAll { return changes }
    return ChangeSet(
      changes.changes.filter { change in !HashedKey.with(change.key) { has($0, change.value) } })
  }

  /// Whether the key has this value already, as far as others are concerned. What a list holds that
  /// can't be read is not known, so that there may be something to remove; and where a journal was
  /// destroyed, others may yet bring over a value that is not known here.
  @inline(__always)
  private func has(_ key: HashedKey, _ value: PropertyListValue?) -> Bool {
    guard content.known(key) == value, journal?.replacesDestroyed != true else { return false }
    return value != nil || content.isKnown(key)
  }

  /// Takes in what others did before a set.
  @inline(__always)
  private func prepareWriting(_ key: HashedKey? = nil) {
    if !isReady { load() }
    if let key { table.fetchEntry(key) }
    if feed.hasEvents { feed.takeAll() }  // not `drain`, for which the feed is retained
    if hint.isRaised || !isSubscribed { verifyForWriting() }
    if journal == nil, unsaved.isEmpty { load(making: true) }
  }

  /// Whether the journal is idle at this moment, and the table up to date: then a set that changes
  /// nothing leaves both as they are.
  @inline(__always)
  private var isIdle: Bool {
    guard let journal, journal.knownSize <= JournalLayout.idleSize else { return false }
    let idle = JournalWord(length: JournalLayout.recordsStart)
    return journal.state == idle && table.applied == idle.key && canAppend && unsaved.isEmpty
  }

  /// The journal with room for such a record reserved at its end, and the table up to date; nil if
  /// nothing can be stored.
  @inline(__always)
  private func reserveAtEnd(_ payload: Int) -> Journal? {
    guard canAppend, unsaved.isEmpty, let journal, journal.isWritable else {
      // Something could not be stored before: it goes first, to keep the order.
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

  /// The journal to append to, with all that others appended taken in; nil if there is none.
  func journalForAppending() -> Journal? {
    var retired: Journal?
    for _ in 0..<Self.triesMax {
      catchUp(isWriting: true)
      guard canAppend, let journal, journal.isWritable else { break }
      if journal.state.isRetired {
        // Retired just now; at the second look, for good: no other journal can be made.
        if journal === retired { break }
        retired = journal
        continue
      }
      if !isOfThisBoot(journal) {
        load(making: true)  // replaces it
        continue
      }
      if !journal.hasMovedEpoch {
        // Before the first record: processes that know of no journal look for one now.
        journal.hasMovedEpoch = process.announceJournal(of: paths)
      }
      return journal
    }
    return nil
  }

  /// Reserves room where the journal ends now, after others appended or when it must grow.
  func reserve(_ payload: Int) -> Journal? {
    let size = JournalRecord.size(payload: payload)
    for _ in 0..<Self.triesMax {
      guard let journal = journalForAppending() else { break }
      let word = journal.awaitTurn()
      if !word.isSound || word.isRetired { continue }
      if compactIfLarge(payload, journal, word.length) { continue }
      guard makeRoom(for: payload, at: word.length, in: journal) else {
        if self.journal === journal { return nil }
        continue
      }
      guard journal.reserve(size, at: word.length) else { continue }
      // Nobody else can append while this is reserved, so one more look is enough.
      if apply(upTo: word.length, of: journal) { return journal }
      journal.release(size, at: word.length)
    }
    return nil
  }

  /// - Returns: false if there is no room, or another journal has had to take its place.
  func makeRoom(for payload: Int, at length: Int, in journal: Journal) -> Bool {
    if journal.hasRoom(for: payload, at: length) { return true }
    do throws(StorageError) {
      try journal.makeRoom(for: payload, at: length, on: disk)
      return true
    } catch {
      if error.code == SystemCode.cutOff {
        journal.giveUp()
        recoverCutOff()
      } else {
        report(.notStored, paths.journal, error.description)
      }
      return false
    }
  }

  /// Compacts a journal before it outgrows a quarter of the maximum. If nobody flushes it for long,
  /// as where every process dies soon, each new process has more to read; and a full one has no
  /// room for a set, though it may have for the values that count.
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

  func finishWriting(_ journal: Journal) -> Bool {
    if !journal.state.isSound { recoverOverwritten(journal) }
    // A process that may only read can't count as a watcher, so a domain of all users always
    // wakes.
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
