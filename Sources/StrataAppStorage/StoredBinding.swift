/// Reads and sets a value that is kept elsewhere.
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

  /// A binding to the value that `get` returns and `set` changes.
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

  /// A binding to a part of the value.
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
