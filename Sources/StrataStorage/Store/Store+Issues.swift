/// What a person should know about the domain.
extension Store {
  /// What is wrong with this domain now, and what was lost or kept aside since this program opened
  /// it, newest last.
  public var issues: [StorageIssue] {
    lock.withLock {
      if phase == .closed || isJournalPostponed { refresh() }
      return issueList.all
    }
  }

  /// What is said of a property list that has lost values, as long as it is not replaced.
  package var damage: StorageIssue? {
    lock.withLock {
      if plist.isSound { return nil }
      return issueList.all.last { $0.kind == .damaged && Path.isSame($0.path, paths.plist) }
    }
  }

  /// The issues of all domains that are open in this process.
  package static var issuesOfProcess: [StorageIssue] {
    StorageProcess.current.openStores.flatMap(\.issues)
  }

  /// Adds an issue, and logs it the first time. The lock must be held.
  @inline(never)
  func report(
    _ kind: StorageIssue.Kind, _ path: String, _ text: String, keptAt: String? = nil
  ) {
    report(StorageIssue(kind, path, text, keptAt: keptAt))
  }

  func report(_ issue: StorageIssue) {
    if issueList.add(issue), process.isAutomatic { Log.writeLater(issue.description) }
  }

  /// Removes issues that are over. The lock must be held.
  @inline(never)
  func settleIssues(
    _ kinds: @autoclosure () -> [StorageIssue.Kind], about path: String? = nil
  ) {
    issueList.settle(kinds(), about: path)
  }
}
