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
  /// What was known when the property list could not be read any more; nil while it can be. A key
  /// of which nothing else is known is shown with this, but nothing that is stored is computed from
  /// it.
  private(set) var remembered: [String: PropertyListValue]?

  /// A file with at most so many keys is read into the table at once; else each key when it is
  /// needed.
  private static let smallCount = 16

  init(_ table: Table) { self.table = table }

  /// At least as many bytes as all keys and values take. Needs no lock.
  var byteCountMax: Int {
    table.byteCount.load(ordering: .relaxed) + unreadSize.load(ordering: .relaxed)
  }

  /// The value of a key for whoever reads it; the table must be up to date.
  func shown(_ key: String) -> PropertyListValue? {
    isKnown(key) ? known(key) : remembered?[key]
  }

  /// Whether values are shown that only this process remembers; the table must be up to date.
  var remembersMore: Bool {
    guard let remembered else { return false }
    return remembered.keys.contains { table.entry(for: $0) == nil }
  }

  /// Whether it is known what value the key has, or that it has none.
  @inline(never)
  func isKnown(_ key: HashedKey) -> Bool {
    table.isComplete || base != nil || table.entry(for: key) != nil
  }

  @inline(never)
  func isKnown(_ key: String) -> Bool { HashedKey.with(key) { isKnown($0) } }

  /// The value of a key, as far as it is known; the table must be up to date.
  @inline(never)
  func known(_ key: String) -> PropertyListValue? { HashedKey.with(key) { known($0) } }

  @inline(__always)
  func known(_ key: HashedKey) -> PropertyListValue? {
    if let entry = table.entry(for: key) { return entry.pointee.value }
    return lookUp(key)
  }

  @inline(never)
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
    // Not of an array of them, a type that the runtime would have to make for the first read.
    index.forEachEntry { key, value in
      if table.entry(for: key) == nil { table.put(key, value) }
    }
    table.isComplete = true
  }

  /// Every value for whoever reads them; the table must be up to date.
  func allShown() -> [String: PropertyListValue] {
    guard let remembered else { return all() }
    return remembered.filter { table.entry(for: $0.key) == nil }
      .merging(table.values()) { $1 }
  }

  /// Every value, as far as they are known; the table must be up to date.
  func all() -> [String: PropertyListValue] {
    takeInBase()
    return table.values()
  }

  /// What is known, as a change: of everything or, while the property list can't be read, of what
  /// is in that; the table must be up to date.
  func changes() -> ChangeSet {
    takeInBase()
    var changes: [Change] = []
    table.forEachEntry {
      changes.append(Change(key: Entry.key(of: $0), value: $0.pointee.value))
    }
    return ChangeSet(changes, replacesAll: remembered == nil)
  }

  /// Applies changes; readers wait for the lock meanwhile.
  func apply(_ changes: ChangeSet) {
    let word = table.applied
    table.applied = 0
    if changes.replacesAll { forgetAll() }
    for change in changes.changes { table.put(change.key, change.value) }
    table.applied = word
  }

  /// Applies what was scanned, except for the change set whose record ends there; readers wait for
  /// the lock meanwhile.
  func apply(_ scan: JournalScan, except outdatedEnd: Int? = nil) {
    let word = table.applied
    table.applied = 0
    for index in 0..<scan.count where scan.ends[index] != outdatedEnd {
      scan.forEachEdit(index) { edit in
        switch edit {
        case .removeAll: forgetAll()
        case .change(let key, let value): table.put(HashedKey(utf8: key), value)
        }
      }
    }
    table.applied = word
  }

  private func forgetAll() {
    (base, remembered) = (nil, nil)
    table.removeAll()
    table.isComplete = true
  }

  // -- All at once: readers wait for the lock until `table.applied` is set again

  /// Replaces everything by the content of a property list.
  func replace(with reading: PlistReading) {
    if reading.obstacle != nil { return replace(with: ChangeSet([]), remembering: allShown()) }
    removeAll()
    guard case .intact(let index) = reading.content else {
      table.isComplete = true
      for (key, value) in reading.values { table.put(key, value) }
      return
    }
    base = index
    table.isComplete = false
    if index.count <= Self.smallCount { takeInBase() }
  }

  /// Replaces everything by what was known at another time.
  func replace(
    with known: ChangeSet, remembering remembered: [String: PropertyListValue]? = nil
  ) {
    removeAll()
    self.remembered = remembered
    table.isComplete = remembered == nil
    for change in known.changes { table.put(change.key, change.value) }
  }

  /// Frees the memory; nothing is known from now on.
  func removeAll() {
    (base, remembered) = (nil, nil)
    lookups = 0
    table.removeAll()
  }
}
