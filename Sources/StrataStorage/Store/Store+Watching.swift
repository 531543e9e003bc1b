import StrataPropertyList
import Synchronization

/// Hearing of what others change.
extension Store: Watched {
  /// Keeps a watch going; dropping it, or `cancel`, ends it.
  public final class Watch: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }

    /// Ends the watch; a call that has begun runs to its end.
    public func cancel() { end() }
  }

  /// Calls `body`, on a thread of ours, with what other processes and people changed: the keys
  /// whose values are others than before, with the new ones.
  ///
  /// Changes that follow each other quickly may be told together. Changes of this process are not
  /// told.
  public func watch(_ body: @escaping @Sendable ([Change]) -> Void) -> Watch {
    let watch = listen(body)
    deliver()  // what came before the watcher listened
    return watch
  }

  /// The same, and nothing is told before this returns.
  package func listen(_ body: @escaping @Sendable ([Change]) -> Void) -> Watch {
    let number = lock.withLock {
      refresh()
      // Where writers count who wants to be woken; a directory of all users wakes always.
      if journal == nil, paths.audience == .user { load(making: true) }
      takeInBase()
      let number = (watches.keys.max() ?? 0) + 1
      if watches.isEmpty {
        makeWakeFile()
        countWatcher(+1)
      }
      watches[number] = body
      return number
    }
    process.watcher.add(self)
    return Watch { [weak self] in self?.unwatch(number) }
  }

  private func unwatch(_ number: Int) {
    let isLast = lock.withLock {
      guard watches.removeValue(forKey: number) != nil, watches.isEmpty else { return false }
      countWatcher(-1)
      touched.removeAll()
      return true
    }
    if isLast {
      process.watcher.remove(self)
      disk.touch(paths.wake)
    }
  }

  func follow(_ feed: Feed, _ suspicion: Suspicion) {
    let coverage = [
      feed.follow(suspicion, to: [paths.name, ".strata"], in: paths.directory),
      feed.follow(suspicion, to: [paths.journalName, "wake"], in: paths.hidden),
    ]
    isFollowedFromAbove.store(coverage.contains(.above), ordering: .relaxed)
  }

  /// Takes in what happened and tells it.
  /// - Returns: whether the plist file is missing, which is believed only at a second look.
  @discardableResult
  func deliver() -> Bool {
    if isFollowedFromAbove.load(ordering: .relaxed) { process.watcher.add(self) }
    let (changes, bodies, isMissing) = lock.withLock {
      table.checkAt = 0
      refresh()
      let changes = touched.compactMap { key, old in
        let new = known(key)
        return new == old ? nil : Change(key: key, value: new)
      }
      touched.removeAll()
      return (changes, changes.isEmpty ? [] : Array(watches.values), wasMissing)
    }
    for body in bodies { body(changes.sorted { $0.key < $1.key }) }
    return isMissing
  }

  private func makeWakeFile() {
    do throws(StorageError) {
      disk.close(try disk.open(paths.wake, .make(mode: paths.fileMode)))
    } catch {
      // A directory of someone else's: its owner makes the file, and always touches it.
    }
  }

  // -- With the lock held

  /// Tells writers, through the journal, whether anybody needs to be woken.
  func countWatcher(_ change: Int32) {
    guard let journal, journal.isWritable else { return }
    journal.watchers.pointee.wrappingAdd(
      UInt32(bitPattern: change), ordering: .sequentiallyConsistent)
  }

  /// Remembers what keys had before others changed them.
  func noteTouched(_ changes: ChangeSet) {
    guard !watches.isEmpty else { return }
    if changes.replacesAll {
      for (key, old) in values() where touched[key] == nil { touched[key] = .some(old) }
    }
    for change in changes.changes where touched[change.key] == nil {
      touched[change.key] = .some(known(change.key))
    }
  }

  func noteTouched(since before: [String: PropertyListValue]) {
    let after = values()
    for (key, old) in before where after[key] != old && touched[key] == nil {
      touched[key] = .some(old)
    }
    for key in after.keys where before[key] == nil && touched[key] == nil {
      touched[key] = .some(nil)
    }
  }
}
