import StrataDomains
import StrataPropertyList
import StrataStorage

/// Where a key's value comes from, and how to reset it.
extension UserDefaults {
  /// Whether any domain of the search list has a value for a key, including registered values.
  @_disfavoredOverload
  public func isSet(_ key: Keys) -> Bool { storedValue(key) != nil }

  /// Whether a key reads as its default, for whatever reason.
  @_disfavoredOverload
  public func isDefault<Value: Equatable>(_ key: Key<Value>) -> Bool {
    self[key] == key.defaultValue
  }

  /// Where the value of a key comes from; nil if no domain has one.
  @_disfavoredOverload
  public func origin(of key: Keys) -> Origin? { origin(ofKey: key.name) }

  /// Where the value of a key without a type comes from; nil if no domain has one.
  @_disfavoredOverload
  public func origin(ofKey name: String) -> Origin? {
    stack.find(name).map { Origin($0.place, $0.layer, in: stack) }
  }

  // -- Back to the default

  /// Removes the values that were set for keys, all at once, so that the next domains give the
  /// values; in a subclass one after the other, by its `set(_: Any?, forKey:)`.
  @_disfavoredOverload
  public func reset(_ keys: Keys...) { remove(keys.map(\.name)) }

  /// Removes the values that were set for the keys of a group, all at once; in a subclass one after
  /// the other.
  @_disfavoredOverload
  public func reset(_ group: KeyGroup) { remove(group.keys.map(\.name)) }

  /// Removes the values that were set for all keys with a prefix, such as `"recent."`, all at once;
  /// in a subclass one after the other.
  ///
  /// What ``migrate(_:list:)`` has recorded stays: its steps are not for the values to come.
  @_disfavoredOverload
  public func reset(prefix: String) {
    // A subclass can have values of its own, which what it overrides shows.
    let shown = isPlain ? [] : Array(dictionaryRepresentation().keys)
    let keys = Set(stack.own.snapshot().values.keys).union(shown)
    remove(keys.filter { $0.hasPrefix(prefix) && $0 != Self.migrationsKey })
  }

  /// Removes all values that were set in the program's or suite's own domain, but for what
  /// ``migrate(_:list:)`` has recorded; all at once, and in a subclass one after the other.
  @_disfavoredOverload
  public func resetAll() { reset(prefix: "") }

  private func remove(_ names: [String]) {
    if !isPlain {
      for name in names { set(nil as Any?, forKey: name) }
      return
    }
    let changes = names.map { Change(key: $0, value: nil) }
    do throws(DefaultsError) {
      _ = try change(changes, ifStill: [])
    } catch {
      Log.write(error.description)
    }
  }
}
