package import StrataPropertyList
import Synchronization

/// How much a domain holds.
extension Layer {
  /// The bytes that the domain would take with this value for the key.
  package func size(with value: PropertyListValue, forKey key: String) -> Int {
    let old = self.value(forKey: key).map { key.utf8.count + RecordWriter.size($0) } ?? 0
    return size - old + key.utf8.count + RecordWriter.size(value)
  }

  /// Whether the domain holds more bytes than that now, and did not at the last call.
  package func hasGrown(past limit: Int) -> Bool {
    switch self {
    case .file(let store): store.hasGrown(past: limit)
    case .memory: false
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
