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
  /// The property list, while part of it is not in the table yet.
  private var base = Base.none {
    didSet { unreadSize.store(base.byteCount, ordering: .relaxed) }
  }
  /// Called when a file that was searched, and then had to be read, is not what its end says.
  var whenMistaken: () -> Void = {}
  private var lookups = 0

  /// A file with at most so many keys is read into the table at once; else each key when it is
  /// needed.
  private static let smallCount = 16

  private enum Base {
    case none
    /// It is searched for each key.
    case unread(UnreadPlist)
    /// It was read.
    case index(CheckedPlist.Index)

    var byteCount: Int {
      switch self {
      case .none: 0
      case .unread(let file): file.byteCount
      case .index(let index): index.byteCount
      }
    }
  }

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

  // Looking keys up one by one costs less than reading them all, until it has been done too often.
  private func lookUp(_ key: HashedKey) -> PropertyListValue? {
    lookups += 1
    switch base {
    case .none: return nil
    case .unread(let file):
      switch lookups <= file.lookupsMax ? file.find(key.text) : .unproved {
      case .value(let value): return remember(key, value)
      case .absent: return remember(key, nil)
      case .unproved:
        readBase()
        return known(key)
      }
    case .index(let index):
      guard lookups * 8 <= index.count else {
        takeInBase()
        return table.entry(for: key)?.pointee.value
      }
      return remember(key, index.value(forKey: key.text))
    }
  }

  private func remember(_ key: HashedKey, _ value: PropertyListValue?) -> PropertyListValue? {
    table.put(key, value)
    return value
  }

  /// Reads what is left of the property list into the table.
  /// - Returns: whether it is the one that was taken in.
  @discardableResult
  func takeInBase() -> Bool {
    let isRead = readBase()
    if let index { takeIn(index.entries()) }
    return isRead
  }

  private func takeIn(_ entries: [(key: String, value: PropertyListValue)]) {
    base = .none
    table.reserve(table.count + entries.count)
    for (key, value) in entries {
      HashedKey.with(key) { if table.entry(for: $0) == nil { table.put($0, value) } }
    }
    table.isComplete = true
  }

  /// The property list as it was read, while part of it is not in the table yet.
  var index: CheckedPlist.Index? { if case .index(let index) = base { index } else { nil } }

  /// Reads the file if it was only searched until now.
  /// - Returns: whether it is the one that was taken in. If not, what it holds now must do until
  ///   all is read again.
  @discardableResult
  func readBase() -> Bool {
    guard case .unread(let file) = base else { return true }
    let reading = file.readAll()
    if case .intact(let index)? = reading?.content, reading?.identity == file.identity {
      base = .index(index)
      return true
    }
    takeIn(reading?.values.map { ($0.key, $0.value) } ?? [])
    whenMistaken()
    return false
  }

  /// Every value; the table must be up to date.
  func all() -> [String: PropertyListValue] {
    takeInBase()
    return table.values()
  }

  /// What is known, as changes: of all keys, unless the property list can't be read any more as it
  /// was when it was taken in.
  func knowledge() -> ChangeSet {
    let isAll = takeInBase()
    var changes: [Change] = []
    changes.reserveCapacity(table.count)
    table.forEachEntry {
      changes.append(Change(key: Entry.key(of: $0), value: $0.pointee.value))
    }
    return ChangeSet(changes, replacesAll: isAll)
  }

  /// Applies changes, while readers may look at any moment.
  func apply(_ changes: ChangeSet) {
    if changes.replacesAll {
      base = .none
      let word = table.applied
      table.removeAll()
      table.isComplete = true
      table.applied = word
    }
    for change in changes.changes { HashedKey.with(change.key) { table.put($0, change.value) } }
  }

  // -- All at once: readers wait for the lock until `table.applied` is set again

  /// Replaces everything by the content of a property list.
  func replace(with reading: PlistReading) {
    let new: Base
    switch reading.content {
    case .intact(let index): new = .index(index)
    case .unread(let file): new = .unread(file)
    case .absent, .foreign, .damaged, .malformed, .unreadable:
      return replace(with: reading.values)
    }
    removeAll()
    base = new
    table.isComplete = false
    if case .index(let index) = new, index.count <= Self.smallCount { takeInBase() }
  }

  func replace(with values: [String: PropertyListValue]) {
    removeAll()
    table.isComplete = true
    for (key, value) in values { HashedKey.with(key) { table.put($0, value) } }
  }

  /// Frees the memory; nothing is known from now on.
  func removeAll() {
    base = .none
    lookups = 0
    table.removeAll()
  }
}
