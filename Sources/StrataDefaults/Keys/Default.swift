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
/// The value is not kept in the property, so that it needs no observation of its own: whoever
/// tracks reads of it, with `@Observable` or not, hears of changes by anyone in any process.
@propertyWrapper
public struct Default<Value: StorableValue>: Sendable {
  /// The key.
  public let key: UserDefaults.Key<Value>
  @usableFromInline let chosen: UserDefaults?

  /// The settings that the value is in.
  @inlinable public var store: UserDefaults { chosen ?? .standard }

  /// A property for the value of a key in `store`; without one in what is `standard` when it is
  /// read or set.
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

  /// What else there is to do with the setting: observe, reset, ask where the value comes from.
  public var projectedValue: Self { self }

  /// Where the value comes from; nil when it is the key's default.
  public var origin: UserDefaults.Origin? { store.origin(of: key) }

  /// Whether any domain has a value.
  public var isSet: Bool { store.isSet(key) }

  /// Takes away what was set.
  public func reset() { store.reset(key) }
}
