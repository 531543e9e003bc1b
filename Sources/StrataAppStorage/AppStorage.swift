public import StrataDefaults

public import class StrataDefaults.UserDefaults

/// A property that is a setting, written as in SwiftUI.
///
/// ```swift
/// @Observable final class EditingPrefs {
///   @ObservationIgnored @AppStorage("ShowLineNumbers") var showLineNumbers = false
/// }
/// ```
///
/// The value at its declaration is registered as the default. Reads are tracked by Swift's
/// Observation, and so by any UI framework that uses it: it is notified of changes by every
/// process.
@propertyWrapper
public struct AppStorage<Value: Sendable>: Sendable {
  private let binding: StoredBinding<Value>

  /// A setting that is `wrappedValue` as long as nothing is set. It is kept in `store`, or without
  /// one in the store that ``defaultAppStorage(_:)`` set.
  public init(
    wrappedValue: Value, _ key: String, store: UserDefaults? = nil
  ) where Value: StorableValue {
    self.init(key: UserDefaults.Key(key, default: wrappedValue), store)
  }

  /// A setting that is nil as long as nothing is set.
  public init<Wrapped: StorableValue>(
    _ key: String, store: UserDefaults? = nil
  ) where Value == Wrapped? {
    self.init(key: UserDefaults.Key(key), store)
  }

  /// A setting that is stored as its raw value, as enums are.
  @_disfavoredOverload
  public init(
    wrappedValue: Value, _ key: String, store: UserDefaults? = nil
  ) where Value: RawRepresentable, Value.RawValue: StorableValue {
    let raw = AppStorage<Value.RawValue>(
      wrappedValue: wrappedValue.rawValue, key, store: store
    ).binding
    binding = StoredBinding {
      Value(rawValue: raw.wrappedValue) ?? wrappedValue
    } set: {
      raw.wrappedValue = $0.rawValue
    }
  }

  /// A setting that is stored as its raw value, and nil as long as nothing is set.
  @_disfavoredOverload
  public init<Wrapped: RawRepresentable>(
    _ key: String, store: UserDefaults? = nil
  ) where Value == Wrapped?, Wrapped.RawValue: StorableValue {
    let raw = AppStorage<Wrapped.RawValue?>(key, store: store).binding
    binding = StoredBinding {
      raw.wrappedValue.flatMap(Wrapped.init(rawValue:))
    } set: {
      raw.wrappedValue = $0?.rawValue
    }
  }

  private init(key: UserDefaults.Key<Value>, _ store: UserDefaults?) where Value: StorableValue {
    let store = store ?? AppStorageStore.current
    store.registerDefault(of: key)
    binding = StoredBinding {
      store[key]
    } set: {
      store[key] = $0
    } update: { change in
      store.update(key) { change(&$0) }
    }
  }

  /// The value.
  public var wrappedValue: Value {
    get { binding.wrappedValue }
    nonmutating set { binding.wrappedValue = newValue }
  }

  /// A two-way binding, for code that reads and sets the value without knowing where it is kept.
  public var projectedValue: StoredBinding<Value> { binding }
}
