import CStrata
import StrataPropertyList

/// What can't be stored at the moment. The lock must be held.
extension Store {
  /// Keeps in memory what can't be stored.
  func keep(_ changes: ChangeSet) -> Bool {
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

  /// Stores what could not be stored before.
  /// - Returns: whether nothing is left.
  func storeUnsaved() -> Bool {
    // If nothing is unsaved, the caller is a set, which will not come back for a later attempt.
    guard flushSchedule.beginRetry(at: strata_coarse_now(), isUrgent: unsaved.isEmpty) else {
      return false
    }
    reopenForAppending()
    for _ in 0..<Self.triesMax {
      guard !unsaved.isEmpty else { return loss == nil }
      let (changes, isInherited) = (unsaved.changeSet, unsaved.isInherited)
      let size = RecordWriter.size(of: changes)
      guard canAppend, let journal = reserve(size) else { return false }
      // On the way there the domain may have been loaded, and they may be stored, or dropped.
      if unsaved.isEmpty || unsaved.isInherited != isInherited {
        release(size, in: journal)
        continue
      }
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

  /// Looks for a journal again where there was none to append to.
  private func reopenForAppending() {
    let isNowhere = !unsaved.isEmpty && journal?.isWritable != true
    if let loss, let journal {
      recover(from: journal, loss.text)
    } else if !canAppend || isNowhere {
      load(making: !unsaved.isEmpty)
    }
  }
}
