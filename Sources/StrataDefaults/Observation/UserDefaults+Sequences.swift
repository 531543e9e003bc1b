import StrataDomains

/// Observing with asynchronous sequences.
extension UserDefaults {
  /// The value of a key now, and then each new one, whoever sets it.
  ///
  /// ```swift
  /// for await theme in defaults.values(forKey: "Theme", as: String.self) { … }
  /// ```
  ///
  /// Who is slow gets the newest value, and never a queue of old ones.
  public func values<Value: Sendable>(
    forKey key: String, as type: Value.Type = Value.self
  ) -> AsyncStream<Value?> {
    sequence(of: [key]) { $0[0] as? Value }
  }

  /// The values of several keys now, and then whenever one of them is another, whoever sets it.
  ///
  /// ```swift
  /// for await sizes in defaults.values(forKeys: ["Width", "Height"], as: Double.self) {
  ///   resize(to: sizes["Width"], sizes["Height"])
  /// }
  /// ```
  ///
  /// Keys without a value of this type are left out.
  public func values<Value: Sendable>(
    forKeys keys: [String], as type: Value.Type = Value.self
  ) -> AsyncStream<[String: Value]> {
    let keys = Set(keys).sorted()
    return sequence(of: keys) { objects in
      zip(keys, objects).reduce(into: [:]) { $0[$1.0] = $1.1 as? Value }
    }
  }

  private func sequence<Element: Sendable>(
    of keys: [String], _ element: @escaping @Sendable ([Any?]) -> Element
  ) -> AsyncStream<Element> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let observer = Observer(keys, tellsFirst: true) { change in
        continuation.yield(element(change.new.map { $0.map(Bridge.object) }))
      }
      stack.begin(observer)
      let observation = KeyObservation(self, observer)
      continuation.onTermination = { _ in observation.cancel() }
    }
  }
}
