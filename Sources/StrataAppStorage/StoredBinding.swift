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
  private let update: @Sendable ((inout Value) -> Void) -> Void

  /// A binding to the value that `get` returns and `set` changes.
  public init(get: @escaping @Sendable () -> Value, set: @escaping @Sendable (Value) -> Void) {
    self.init(get: get, set: set) { change in
      var value = get()
      change(&value)
      set(value)
    }
  }

  /// The same, with a closure that reads and sets the value as one step.
  package init(
    get: @escaping @Sendable () -> Value, set: @escaping @Sendable (Value) -> Void,
    update: @escaping @Sendable ((inout Value) -> Void) -> Void
  ) {
    self.get = get
    self.set = set
    self.update = update
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
    } set: { part in
      update { $0[keyPath: path] = part }
    } update: { change in
      update { change(&$0[keyPath: path]) }
    }
  }
}
