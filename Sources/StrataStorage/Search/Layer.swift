package import StrataPropertyList

/// One of the domains that are searched for a key.
package enum Layer: Sendable {
  case file(Store)
  case memory(MemoryStore)

  /// Whether both are one and the same domain.
  package static func == (left: Layer, right: Layer) -> Bool { left.table === right.table }

  package static func != (left: Layer, right: Layer) -> Bool { left.table !== right.table }

  var table: Table {
    switch self {
    case .file(let store): store.table
    case .memory(let store): store.table
    }
  }

  /// Whether what it holds is not known, and each look at it searches its files.
  var isClosed: Bool {
    if table.isOpen { return false }
    guard case .file(let store) = self else { return false }
    return store.lock.withLock { store.phase == .closed }
  }

  /// The value, after a look at what others have changed if that is needed.
  package func value(forKey key: String) -> PropertyListValue? {
    switch self {
    case .file(let store): store.value(forKey: key)
    case .memory(let store): store.value(forKey: key)
    }
  }

  /// The values of several keys, as of one moment.
  package func values(forKeys keys: [String]) -> [PropertyListValue?] {
    switch self {
    case .file(let store): store.values(forKeys: keys)
    case .memory(let store): store.values(forKeys: keys)
    }
  }

  /// The same; throws if another one may be stored that can't be read now.
  package func knownValue(forKey key: String) throws(StorageError) -> PropertyListValue? {
    switch self {
    case .file(let store): try store.knownValues(forKeys: [key])[0]
    case .memory(let store): store.value(forKey: key)
    }
  }

  package func set(_ value: PropertyListValue?, forKey key: String) throws(StorageError) {
    switch self {
    case .file(let store): try store.set(value, forKey: key)
    case .memory: try apply(ChangeSet([Change(key: key, value: value)]))
    }
  }

  /// Makes everything that was set durable; false if that is not possible.
  package func synchronize() -> Bool {
    switch self {
    case .file(let store): store.synchronize()
    case .memory: false
    }
  }

  /// The same, if there may be anything that is not in the property list.
  package func synchronizePending() -> Bool {
    switch self {
    case .file(let store): !store.mayHavePending || store.synchronize()
    case .memory: false
    }
  }

  /// Applies all changes or none.
  package func apply(_ changes: ChangeSet) throws(StorageError) {
    _ = try apply(changes, ifStill: [])
  }

  /// Applies all changes if each of the `expected` keys still has its value (or none, for nil);
  /// else nothing.
  /// - Returns: whether they were applied.
  package func apply(
    _ changes: ChangeSet, ifStill expected: [Change]
  ) throws(StorageError) -> Bool {
    switch self {
    case .file(let store): return try store.apply(changes, ifStill: expected)
    case .memory(let store):
      if let refusal = Limits.refusal(of: changes) { throw refusal }
      return store.apply(changes, ifStill: expected)
    }
  }

  /// The property list that the domain is in; nil for one in memory.
  package var path: String? {
    guard case .file(let store) = self else { return nil }
    return store.paths.plist
  }

  package func snapshot() -> Snapshot {
    switch self {
    case .file(let store): store.snapshot()
    case .memory(let store): store.snapshot()
    }
  }

  /// The same; throws if some of what is stored can't be read now.
  package func wholeSnapshot() throws(StorageError) -> Snapshot {
    switch self {
    case .file(let store): try store.wholeSnapshot()
    case .memory(let store): store.snapshot()
    }
  }
}
