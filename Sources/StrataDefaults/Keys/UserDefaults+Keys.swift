import StrataDomains
public import StrataPropertyList
import StrataStorage

/// Values of typed keys.
extension UserDefaults {
  /// The value of a key: the first one in the search list, or the default if there is none, or none
  /// that the key can read.
  ///
  /// ```swift
  /// defaults[.fontSize] = 14
  /// ```
  ///
  /// Setting nil for an optional type removes the value. A value that can't be encoded, or that the
  /// key does not allow, changes nothing and writes a line to the log; ``store(_:for:)`` throws
  /// instead.
  @inlinable
  public subscript<Value>(key: Key<Value>) -> Value {
    get {
      if key.isDecoded, let cached = beginReadingCached(key) {
        defer { endReadingCached() }
        // Safety: a key's slot has values of its type only, and this one is there until the end.
        return Unmanaged<DecodedValue<Value>>.fromOpaque(cached)
          ._withUnsafeGuaranteedRef { $0.value }
      }
      guard let stored = storedValue(key) else { return key.defaultValue }
      switch stored {
      case .array, .dictionary: return decodedValue(stored, key)
      case .string where !key.isText: return decodedValue(stored, key)
      default: return key.value(of: stored) ?? mismatched(stored, key)
      }
    }
    set { write(newValue, key) }
  }

  /// The value of a key declared in ``UserDefaultsTypes/Keys``: `defaults.theme`.
  @inlinable
  public subscript<Value>(dynamicMember key: KeyPath<Keys.Type, Key<Value>>) -> Value {
    get { self[Keys.self[keyPath: key]] }
    set { self[Keys.self[keyPath: key]] = newValue }
  }

  // Without it, the compiler speaks of a type `Keys` that has no such member, or produces no
  // diagnostic at all, for each name that is misspelled.
  /// Reports a name that is neither a member of this class nor that of a declared key.
  @available(
    *, unavailable,
    message: "UserDefaults has no such member, and UserDefaults.Keys declares no such key"
  )
  @_disfavoredOverload
  public subscript(dynamicMember name: String) -> NoSuchMember {
    get { fatalError("unavailable") }
    // Also with a setter, so that an assignment is reported as the wrong name that it is.
    set {}
  }

  /// Sets a value.
  ///
  /// - Throws: if it can't be encoded, the key does not allow it, or the domain has no room for it.
  ///   Nothing is changed then.
  @_disfavoredOverload
  public func store<Value>(_ value: Value, for key: Key<Value>) throws(DefaultsError) {
    try storeStored(Self.stored(value, key), key.name)
  }

  /// Registers the defaults of keys, so that methods such as ``bool(forKey:)`` read them, too.
  @_disfavoredOverload
  public func register(_ keys: Keys...) {
    var values: [String: PropertyListValue] = [:]
    for key in keys { values[key.name] = key.storedDefault }
    register(values)
  }

  /// Registers the default of a key, unless one is registered already.
  package func registerDefault<Value>(of key: Key<Value>) {
    guard let value = key.storedDefault else { return }
    if stack.process.volatile.registration.value(forKey: key.name) == nil {
      register([key.name: value])
    }
  }

  // -- What the subscript is made of

  /// The stored value of a typed key. Trackings of this read are notified of changes.
  @usableFromInline
  final func storedValue(_ key: Keys) -> PropertyListValue? {
    trackRead(of: key)
    if isPlain { return list.cachedValue(key.prepared) ?? stack.value(forKey: key.name) }
    return storedByObject(key.name)
  }

  @inline(__always)
  private final func trackRead(of key: Keys) {
    tracker.trackRead(of: key.tracked, in: stack)
    KeyRecorder.recordRead(of: key.name, in: stack)
  }

  /// The decoded value, if it is cached and still current; `endReadingCached` must follow then.
  @usableFromInline
  final func beginReadingCached(_ key: Keys) -> UnsafeMutableRawPointer? {
    guard isPlain else { return nil }
    trackRead(of: key)
    Readers.begin()
    if let cached = key.decoded.cached(key.prepared, in: list) { return cached }
    Readers.end()
    return nil
  }

  @usableFromInline
  final func endReadingCached() { Readers.end() }

  @usableFromInline
  func decodedValue<Value>(_ stored: PropertyListValue, _ key: Key<Value>) -> Value {
    let cached = key.decoded.value(decodedFrom: stored)
    if let cached = cached as? DecodedValue<Value> {
      // For the value that is stored now, which the next read recognizes without comparing it.
      if isPlain { key.cache(DecodedValue(cached.value, decodedFrom: stored)) }
      return cached.value
    }
    guard let value = key.value(of: stored) else { return mismatched(stored, key) }
    // Whoever changes an object that was read must not change what others read.
    if Value.self is AnyObject.Type { return value }
    key.cache(DecodedValue(value, decodedFrom: stored))
    return value
  }

  @usableFromInline
  func mismatched<Value>(_ stored: PropertyListValue, _ key: Key<Value>) -> Value {
    report(Mismatch(key, stored, Value.self))
    return key.defaultValue
  }

  @usableFromInline
  func write<Value>(_ value: Value, _ key: Key<Value>) {
    do throws(DefaultsError) {
      try store(value, for: key)
    } catch {
      if error.isMistake { fatalError(error.description) }
      Log.write(error.description)
    }
  }

  /// The value as it is stored; nil for none.
  static func stored<Value>(
    _ value: Value, _ key: Key<Value>
  ) throws(DefaultsError) -> PropertyListValue? {
    if let rule = key.rule, !rule(value) {
      let shown = key.isRedacted ? "the value" : "\(value)"
      throw DefaultsError(
        key: key.name,
        reason: "\(shown) was not stored for key \(key.name), which allows \(key.allowed ?? "")")
    }
    do {
      return try value.stored()
    } catch {
      let reason = key.isRedacted ? "\(type(of: error))" : "\(error)"
      throw DefaultsError(
        key: key.name, reason: "the value for key \(key.name) cannot be encoded: \(reason)")
    }
  }

  /// Calls the setter of a subclass, as every other way to set a value does.
  private func storeStored(_ stored: PropertyListValue?, _ name: String) throws(DefaultsError) {
    if isPlain { return try change(stored, name) }
    try check(stored, name)
    set(stored.map(Bridge.object), forKey: name)
  }
}
