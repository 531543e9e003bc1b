import CStrata
package import StrataPropertyList
import Synchronization

/// A domain without files: its values live as long as the process.
///
/// Locking: its lock is one of the innermost; `fill` runs without it, since it calls foreign code.
package final class MemoryStore: @unchecked Sendable {
  // Safety: constants; the table is changed under the lock, and documents how it is read; what has
  // yet to be noted is guarded by the lock.
  let table: Table
  /// Whether it held more than a limit when `hasGrown` was called last.
  let wasLarge = Atomic<Bool>(false)
  private let lock = Lock(.memory)
  private let fill: (@Sendable () -> [String: PropertyListValue])?
  /// Names the keys whose values are computed, until somebody asks for the first one.
  private var forEachKey: (((String) -> Void) -> Void)?
  /// Whether a search that asks this domain takes the lock now and then, as it does for a domain
  /// in a file: whoever searches may have to look around.
  private let isAskedAgain: Bool

  /// A domain with these values.
  package init(_ values: [String: PropertyListValue] = Dictionary(), isAskedAgain: Bool = false) {
    table = Table()
    fill = nil
    self.isAskedAgain = isAskedAgain
    for (key, value) in values { table.put(key, value) }
    open()
  }

  /// A domain whose values for the keys that `forEachKey` names are computed when one of them is
  /// first asked for.
  package init(
    keys forEachKey: @escaping ((String) -> Void) -> Void,
    filledBy fill: @escaping @Sendable () -> [String: PropertyListValue]
  ) {
    table = Table()
    self.fill = fill
    self.forEachKey = forEachKey
    isAskedAgain = false
  }

  /// Notes the keys whose values are computed. Most programs ask only for keys that a domain before
  /// this one has.
  private func noteKeys() {
    guard let forEachKey else { return }
    self.forEachKey = nil
    forEachKey { table.put($0, nil, isPending: true) }
    open()
  }

  private func open() {
    table.isComplete = true
    table.checkAt = nextLook
    table.applied = LocalWord.value
  }

  private var nextLook: Int64 { isAskedAgain ? strata_coarse_now() + Store.checkInterval : .max }

  /// The value of `key`; there are no files to look at.
  package func value(forKey key: String) -> PropertyListValue? {
    if let known = table.cachedValue(key, { $0?.pointee.value }) { return known }
    return look(key)
  }

  func look(_ key: String) -> PropertyListValue? {
    fillIn { isPending(key) }
    return lock.withLock {
      table.checkAt = nextLook
      return table.entry(for: key)?.pointee.value
    }
  }

  private func isPending(_ key: String) -> Bool {
    table.entry(for: key)?.pointee.isPending ?? false
  }

  /// The values of several keys, as of one moment.
  func values(forKeys keys: [String]) -> [PropertyListValue?] {
    fillIn { keys.contains { isPending($0) } }
    return lock.withLock { keys.map { table.entry(for: $0)?.pointee.value } }
  }

  /// All values, as of one moment.
  package func snapshot() -> Snapshot {
    fillIn { hasPending }
    return lock.withLock { Snapshot(table.values()) }
  }

  private var hasPending: Bool {
    var found = false
    table.forEachEntry { if $0.pointee.isPending { found = true } }
    return found
  }

  /// Applies all changes or none, as any thread sees it.
  package func apply(_ changes: ChangeSet) { _ = apply(changes, ifStill: []) }

  /// Applies all changes if each of the `expected` keys still has its value (or none, for nil);
  /// else nothing.
  /// - Returns: whether they were applied.
  package func apply(_ changes: ChangeSet, ifStill expected: [Change]) -> Bool {
    lock.withLock {
      noteKeys()
      for change in expected where table.entry(for: change.key)?.pointee.value != change.value {
        return false
      }
      // Readers wait for the lock while some of the changes are made and others not.
      table.applied = 0
      if changes.replacesAll { forgetAll() }
      for change in changes.changes { table.put(change.key, change.value) }
      table.applied = LocalWord.value
      return true
    }
  }

  private func forgetAll() {
    table.removeAll()
    table.isComplete = true
    table.checkAt = nextLook
  }

  /// Computes the pending values, if `isNeeded` says so.
  private func fillIn(if isNeeded: () -> Bool) {
    guard let fill else { return }
    let isNeeded = lock.withLock {
      noteKeys()
      return isNeeded()
    }
    if !isNeeded { return }
    let values = fill()
    lock.withLock {
      var pending: [String] = []
      table.forEachEntry { if $0.pointee.isPending { pending.append(Entry.key(of: $0)) } }
      for key in pending { table.put(key, values[key]) }
    }
  }
}
