import StrataPropertyList

/// A property that is a setting: in structs, classes, actors, and `@Observable` models.
///
/// ```swift
/// @Observable final class Model {
///   @ObservationIgnored @Default(.theme) var theme
/// }
/// model.theme = .dark
/// model.$theme.reset()
/// ```
///
/// The property does not store the value, and needs no observation of its own: code that tracks
/// reads of it, in an `@Observable` class or not, is notified of changes by every process.
@propertyWrapper
public struct Default<Value: StorableValue>: Sendable {
  /// The key.
  public let key: UserDefaults.Key<Value>
  @usableFromInline let chosen: UserDefaults?

  /// The settings that have the value.
  @inlinable public var store: UserDefaults { chosen ?? .standard }

  /// A property for the value of a key in `store`; without one, in the settings that are `standard`
  /// when it is read or set.
  public init(_ key: UserDefaults.Key<Value>, store: UserDefaults? = nil) {
    self.key = key
    chosen = store
  }

  /// The value.
  @inlinable
  public var wrappedValue: Value {
    get { store[key] }
    nonmutating set { store[key] = newValue }
  }

  /// The property wrapper, to observe or reset the setting, or to find out where it comes from.
  public var projectedValue: Self { self }

  /// Where the stored value comes from, even if the key can't read it; nil if no domain has one.
  public var origin: UserDefaults.Origin? { store.origin(of: key) }

  /// Whether any domain has a value.
  public var isSet: Bool { store.isSet(key) }

  /// Removes the value that was set.
  public func reset() { store.reset(key) }
}
