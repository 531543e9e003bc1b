package import StrataPropertyList
import Synchronization

/// How much a domain holds.
extension Layer {
  /// Bytes that the domain would take with another value for one key.
  package func size(with value: PropertyListValue, forKey key: String) -> Int {
    let old = self.value(forKey: key).map { key.utf8.count + RecordWriter.size($0) } ?? 0
    return size - old + key.utf8.count + RecordWriter.size(value)
  }

  /// Whether the domain holds more bytes than that now, and did not when it was last asked.
  package func hasGrown(past limit: Int) -> Bool {
    guard case .file(let store) = self else { return false }
    let most =
      store.table.byteCount.load(ordering: .relaxed) + store.baseSize.load(ordering: .relaxed)
    guard most > limit || store.isLarge else { return false }
    return store.lock.withLock {
      let wasLarge = store.isLarge
      store.isLarge = store.byteCount > limit
      return store.isLarge && !wasLarge
    }
  }

  /// Bytes that the domain takes.
  package var size: Int {
    switch self {
    case .file(let store): store.lock.withLock { store.byteCount }
    case .memory(let store): store.table.byteCount.load(ordering: .relaxed)
    }
  }
}

extension Store {
  /// Bytes that all keys and values take. The lock must be held.
  var byteCount: Int {
    takeInBase()
    return table.byteCount.load(ordering: .relaxed)
  }
}
