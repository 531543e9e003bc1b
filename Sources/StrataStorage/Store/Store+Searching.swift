import CStrata
import StrataPropertyList

/// Reading without opening the journal, or even the store: most programs are commands, which read a
/// few settings and end.
extension Store {
  /// Opens the store with the property list alone, if that holds everything and is not large: the
  /// next read opens the journal.
  ///
  /// The lock must be held, and the store closed.
  /// - Returns: whether it is open now.
  func openForOneRead() -> Bool {
    if rules.isRare || searches > 0 || forks != ProcessEvents.forks { return false }
    strata_hold_user()
    defer { strata_release_held_user() }
    do throws(StorageError) {
      subscribeToFeed()
      if try rules.distrust?() != nil { return false }
      let glance = try names.glance()
      if case .unknown = glance { return false }
      // After the look at the journal: only what is set from then on may be missing.
      let reading = plistFile.read(ifSmallerThan: disk.searchSizeMin)
      guard reading.isSound, reading.status != nil else { return false }
      phase = .open
      adopt(reading, with: .missing(.none), applied: 0)
      if case .idle = glance {
        postponed = .journal(FirstReading(reading))
      } else {
        postponed = .epoch
      }
      if !hint.isRaised { table.checkAt = strata_coarse_now() + Self.checkInterval }
      return true
    } catch {
      return false
    }
  }

  /// A key's value as the journal and a search in the property list tell it; `unproved` if the
  /// store must be opened to know. Where not even the directory is, there is nothing to search.
  ///
  /// A search keeps nothing. It looks at the files, finds the key, and looks whether they are what
  /// they were. Whatever is out of the ordinary is for `load`, as if nothing had been searched.
  ///
  /// The lock must be held, and the store closed.
  func search(_ key: String) -> RecordSearch.Result {
    if searches >= Self.searchesMax || paths.machinePlace != nil { return .unproved }
    searches += 1
    strata_hold_user()
    defer { strata_release_held_user() }
    do throws(StorageError) {
      if rules.isRare, try disk.status(of: paths.directory) == nil { return .absent }
      if try rules.distrust?() != nil { return .unproved }
      guard let list = try ListSearch(plistFile), searches <= list.keysMax else {
        searches = Self.searchesMax
        return .unproved
      }
      let result: RecordSearch.Result
      if case .idle = try names.glance() {
        let result = try list.find(key)
        return try list.isUnchanged() ? result : .unproved
      }
      switch openJournal(making: false) {
      case .denied, .unknown: return .unproved
      case .none:
        result = try list.find(key)
        if try disk.status(of: paths.journal) != nil { return .unproved }
      case .open(let journal):
        let word = journal.state
        guard let found = try find(key, in: journal, word, over: list),
          !journal.isDestroyed, journal.state.key == word.key, try names.isHeld(by: journal)
        else { return .unproved }
        result = found
      }
      return try list.isUnchanged() ? result : .unproved
    } catch {
      return .unproved
    }
  }

  static let searchesMax = 16

  /// Whether no more was read than once, and the files are still what they were then.
  var isAsFirstRead: Bool {
    lock.withLock {
      guard isReady, isEpochPostponed || isJournalPostponed else { return false }
      do throws(StorageError) {
        switch (postponed, try names.glance()) {
        case (.journal, .idle), (.epoch, .missing):
          return try disk.status(of: paths.plist) == plist.status
        default: return false
        }
      } catch {
        return false
      }
    }
  }

  private func find(
    _ key: String, in journal: Journal, _ word: JournalWord, over list: ListSearch
  ) throws(StorageError) -> RecordSearch.Result? {
    // All records are known, and apply to the list as it is.
    guard word.isSound, !word.isRetired, word.reserved == 0,
      journal.header.base == list.identity, journal.header.boot == disk.bootID(),
      journal.size(upTo: word.length) == word.length
    else { return nil }
    let scan = journal.scan(
      from: JournalLayout.recordsStart, to: word.length, ofAtMost: word.length, unsound: .damage)
    if scan.damagedCount > 0 { return nil }
    for index in (0..<scan.count).reversed() {
      let changes = scan.changes(index)
      if let change = changes.changes.last(where: { $0.key == key }) {
        return change.value.map { .value($0) } ?? .absent
      }
      if changes.replacesAll { return .absent }
    }
    return try list.find(key)
  }
}
