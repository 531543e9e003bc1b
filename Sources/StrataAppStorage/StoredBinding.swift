/// A value that is somewhere else, to be read and set.
///
/// ```swift
/// Toggle("Line numbers", isOn: $showLineNumbers)
/// let columns = $layout.columns  // of a part of the value
/// ```
@propertyWrapper
@dynamicMemberLookup
public struct StoredBinding<Value: Sendable>: Sendable {
  private let get: @Sendable () -> Value
  private let set: @Sendable (Value) -> Void

  /// A binding of what `get` says and `set` changes.
  public init(get: @escaping @Sendable () -> Value, set: @escaping @Sendable (Value) -> Void) {
    self.get = get
    self.set = set
  }

  /// The value.
  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }

  /// The binding itself.
  public var projectedValue: Self { self }

  /// A binding of a part of the value.
  public subscript<Part: Sendable>(
    dynamicMember path: any WritableKeyPath<Value, Part> & Sendable
  ) -> StoredBinding<Part> {
    StoredBinding<Part> {
      wrappedValue[keyPath: path]
    } set: {
      var value = wrappedValue
      value[keyPath: path] = $0
      wrappedValue = value
    }
  }
}
