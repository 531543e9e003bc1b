import StrataDomains
import StrataPropertyList
import StrataStorage

/// What is known of a key's value besides what it is, and how it goes back to what it was.
extension UserDefaults {
  /// Whether any domain of the search list has a value for a key, be it registered.
  public func isSet(_ key: Keys) -> Bool { storedValue(key) != nil }

  /// Whether a key reads as its default, because nothing is set, or the same, or no such value.
  public func isDefault<Value: Equatable>(_ key: Key<Value>) -> Bool {
    self[key] == key.defaultValue
  }

  /// Where the value of a key comes from; nil when no domain has one.
  public func origin(of key: Keys) -> Origin? { origin(ofKey: key.name) }

  /// The same for a key without a type.
  public func origin(ofKey name: String) -> Origin? {
    stack.find(name).map { Origin($0.place, $0.layer, in: stack) }
  }

  // -- Back to the default

  /// Takes away what was set for keys, all at one moment, so that what is behind counts again.
  public func reset(_ keys: Keys...) { remove(keys.map(\.name)) }

  /// The same for the keys of a group.
  public func reset(_ group: KeyGroup) { remove(group.keys.map(\.name)) }

  /// The same for all keys that begin so, such as `"recent."`.
  public func reset(prefix: String) {
    remove(stack.own.snapshot().values.keys.filter { $0.hasPrefix(prefix) })
  }

  /// The same for everything that was set in the program's or suite's own domain.
  public func resetAll() { reset(prefix: "") }

  private func remove(_ names: [String]) {
    let changes = names.map { Change(key: $0, value: nil) }
    do throws(DefaultsError) {
      _ = try change(changes, ifStill: [])
    } catch {
      Log.write(error.description)
    }
  }
}
