package import StrataPropertyList
import Synchronization

/// How much a domain holds.
extension Layer {
  /// By how many bytes the domain would grow if the key had this value, or (nil) none.
  package func growth(with value: PropertyListValue?, forKey key: String) -> Int {
    func size(_ value: PropertyListValue) -> Int { key.utf8.count + RecordWriter.size(value) }
    return (value.map(size) ?? 0) - (self.value(forKey: key).map(size) ?? 0)
  }

  /// Whether the domain holds more bytes than that now, and did not at the last call.
  package func hasGrown(past limit: Int) -> Bool {
    switch self {
    case .file(let store): store.hasGrown(past: limit)
    case .memory(let store): store.hasGrown(past: limit)
    }
  }

  /// The bytes that the domain takes.
  package var size: Int {
    switch self {
    case .file(let store): store.lock.withLock { store.byteCount }
    case .memory(let store): store.table.byteCount.load(ordering: .relaxed)
    }
  }
}

extension MemoryStore {
  // Ordering: numbers that nothing is behind.
  func hasGrown(past limit: Int) -> Bool {
    let isLarge = table.byteCount.load(ordering: .relaxed) > limit
    if isLarge == wasLarge.load(ordering: .relaxed) { return false }
    return !wasLarge.exchange(isLarge, ordering: .relaxed) && isLarge
  }
}

extension Store {
  // Ordering: a guess from numbers that nothing is behind; the lock decides.
  func hasGrown(past limit: Int) -> Bool {
    guard content.byteCountMax > limit || wasLarge.load(ordering: .relaxed) else { return false }
    return lock.withLock {
      let isLarge = byteCount > limit
      let wasLarge = wasLarge.exchange(isLarge, ordering: .relaxed)
      return isLarge && !wasLarge
    }
  }

  /// The bytes that all keys and values take. The lock must be held.
  var byteCount: Int {
    if phase == .resting { load() }
    content.takeInBase()
    return table.byteCount.load(ordering: .relaxed)
  }
}
