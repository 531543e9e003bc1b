import StrataPropertyList
import Synchronization

/// A domain's values as this process knows them: the table, and what has yet to be read into it
/// from the property list's bytes.
///
/// Locking: the store's lock is held, except where stated otherwise.
final class DomainValues: @unchecked Sendable {
  // Safety: constants and atomics, and state that the store's lock guards.
  let table: Table
  // Ordering: relaxed, as the table's count of bytes: nothing is behind these numbers.
  private let unreadSize = Atomic<Int>(0)
  /// The base: the property list, while part of it is not in the table yet.
  private(set) var base: CheckedPlist.Index? {
    didSet { unreadSize.store(base?.byteCount ?? 0, ordering: .relaxed) }
  }
  private var lookups = 0

  /// A file with at most so many keys is read into the table at once; else each key when it is
  /// needed.
  private static let smallCount = 16

  init(_ table: Table) { self.table = table }

  /// At least as many bytes as all keys and values take. Needs no lock.
  var byteCountMax: Int {
    table.byteCount.load(ordering: .relaxed) + unreadSize.load(ordering: .relaxed)
  }

  /// The value of a key; the table must be up to date.
  func known(_ key: String) -> PropertyListValue? { HashedKey.with(key) { known($0) } }

  @inline(__always)
  func known(_ key: HashedKey) -> PropertyListValue? {
    if let entry = table.entry(for: key) { return entry.pointee.value }
    return lookUp(key)
  }

  private func lookUp(_ key: HashedKey) -> PropertyListValue? {
    guard let base else { return nil }
    lookups += 1
    // Looking keys up one by one costs less than reading them all, until it has been done too
    // often.
    if lookups * 8 > base.count {
      takeInBase()
      return table.entry(for: key)?.pointee.value
    }
    let value = base.value(forKey: key.text)
    table.put(key, value)
    return value
  }

  /// Reads what is left of the property list into the table.
  func takeInBase() {
    guard let index = base else { return }
    base = nil
    table.reserve(table.count + index.count)
    for (key, value) in index.entries() {
      HashedKey.with(key) { if table.entry(for: $0) == nil { table.put($0, value) } }
    }
    table.isComplete = true
  }

  /// Every value; the table must be up to date.
  func all() -> [String: PropertyListValue] {
    takeInBase()
    return table.values()
  }

  /// Applies changes; readers wait for the lock meanwhile.
  func apply(_ changes: ChangeSet) {
    let word = table.applied
    table.applied = 0
    if changes.replacesAll {
      base = nil
      table.removeAll()
      table.isComplete = true
    }
    for change in changes.changes { HashedKey.with(change.key) { table.put($0, change.value) } }
    table.applied = word
  }

  // -- All at once: readers wait for the lock until `table.applied` is set again

  /// Replaces everything by the content of a property list.
  func replace(with reading: PlistReading) {
    guard case .intact(let index) = reading.content else { return replace(with: reading.values) }
    removeAll()
    base = index
    table.isComplete = false
    if index.count <= Self.smallCount { takeInBase() }
  }

  func replace(with values: [String: PropertyListValue]) {
    removeAll()
    table.isComplete = true
    for (key, value) in values { HashedKey.with(key) { table.put($0, value) } }
  }

  /// Frees the memory; nothing is known from now on.
  func removeAll() {
    base = nil
    lookups = 0
    table.removeAll()
  }
}
