import Synchronization

/// Opening the journal, and putting another one in its place. The lock must be held.
extension Store {
  var opener: JournalOpener {
    JournalOpener(names, rules) { [process, paths] () throws(StorageError) in
      try process.lockOwnerInPlace(for: paths)
    }
  }

  /// The journal at its path, which is not followed yet.
  func openJournal(making: Bool) -> JournalAccess {
    let opener = opener
    let found = opener.open(making: making)
    for issue in opener.issues { report(issue) }
    settleOpening(found, opener.issues)
    return found
  }

  private func settleOpening(_ found: JournalAccess, _ issues: [StorageIssue]) {
    if case .open = found { settleIssues([.unreadable], about: paths.journal) }
    // Who has set nothing has nothing to store.
    guard issues.isEmpty, found.obstacle == nil, !hasAppended, unsaved.isEmpty else { return }
    settleIssues([.notStored], about: paths.journal)
  }

  /// Puts a journal in the place of `old`.
  /// - Returns: nil if another process was faster, or things changed meanwhile.
  func replace(_ old: Journal, by plan: SuccessorPlan) throws(StorageError) -> InstalledJournal? {
    let replacement = try JournalReplacement(of: old, by: plan, names)
    return try install(replacement, insteadOf: old)
  }

  func install(
    _ replacement: JournalReplacement, insteadOf old: Journal
  ) throws(StorageError) -> InstalledJournal? {
    defer { for issue in replacement.issues { report(issue) } }
    switch try replacement.install({ journal !== old || apply(upTo: $0, of: old) }) {
    case .installed(let new): return new
    case .late: return nil
    case .nameless:
      hint.raise()
      return nil
    }
  }

  /// Goes on with a journal that continues the present one.
  func continueWith(_ new: InstalledJournal) {
    follow(.open(new.journal))
    table.applied = new.key
  }

  /// Makes the next journal, since whoever retired this one is stopped or dead.
  /// - Returns: whether to look again.
  func completeReplacement(of old: Journal) -> Bool {
    let number = old.awaitSuccessor()
    guard number == old.danglingSuccessor else { return true }
    do throws(StorageError) {
      var reading = plistFile.read()
      switch try returnEdit(insteadOf: reading, old) {
      case .notNeeded: break
      case .changed: return true
      case .waiting(let edit): reading = edit ?? reading
      }
      var plan = try SuccessorPlan(of: old, on: reading, names)
      plan.compacts = isWorthCompacting(old)
      guard let new = try replace(old, by: plan) else { return true }
      if journal === old, plan.start != nil, plan.held == nil {
        continueWith(new)
      } else {
        adopt(reading, with: .carried(new.journal, new.carried), applied: new.key)
      }
      return true
    } catch {
      report(.notStored, paths.journal, error.description)
      return false
    }
  }

  /// The change sets that the journal holds between two lengths; nil if it was destroyed meanwhile,
  /// so that it is not known what it held.
  func scan(_ journal: Journal, from start: Int, to end: Int) -> JournalScan? {
    let boot = disk.bootID()
    let scan = journal.scan(
      from: start, to: end, ofAtMost: journal.size(upTo: end),
      unsound: Recovery.unsound(in: journal.header.boot, now: boot))
    // What can't be mended, or is about to be replaced, is read as it is.
    if journal.isWritable, journal.header.boot == boot, journal.isDestroyed { return nil }
    if scan.damagedCount > 0 {
      journal.isDamaged = true
      report(.damaged(journal, count: scan.damagedCount))
    }
    return scan
  }
}
