import StrataDomains
import StrataPropertyList

/// Observing with asynchronous sequences.
extension UserDefaults {
  /// The current value of a key, and then each new one, whoever sets it.
  ///
  /// ```swift
  /// for await theme in defaults.values(forKey: "Theme", as: String.self) { … }
  /// ```
  ///
  /// A slow consumer skips to the newest value.
  @_disfavoredOverload
  public func values<Value: Sendable>(
    forKey key: String, as type: Value.Type = Value.self
  ) -> Values<Value?> {
    Values(of: [key], in: self, areEqual) { $0[0].flatMap { Bridge.object(of: $0) as? Value } }
  }

  /// The current values of several keys, and then again whenever one changes, whoever sets it.
  ///
  /// ```swift
  /// for await sizes in defaults.values(forKeys: ["Width", "Height"], as: Double.self) {
  ///   resize(to: sizes["Width"], sizes["Height"])
  /// }
  /// ```
  ///
  /// Keys without a value of this type are left out.
  @_disfavoredOverload
  public func values<Value: Sendable>(
    forKeys keys: [String], as type: Value.Type = Value.self
  ) -> Values<[String: Value]> {
    let keys = KeyOrder.ascending(Array(Set(keys)))
    return Values(of: keys, in: self, areEqual) { stored in
      zip(keys, stored).reduce(into: [:]) { values, found in
        values[found.0] = found.1.flatMap { Bridge.object(of: $0) as? Value }
      }
    }
  }
}

extension UserDefaultsTypes {
  /// The current value, and then each new one; never the same twice in a row. A slow consumer skips
  /// to the newest.
  ///
  /// Each iteration begins with the current value, and observes until it ends.
  public struct Values<Element: Sendable>: AsyncSequence, Sendable {
    private let begin: @Sendable () -> AsyncStream<Delivery>
    private let areSame: @Sendable (Element, Element) -> Bool

    struct Delivery: Sendable {
      let stored: [PropertyListValue?]
      let element: Element
    }

    init(
      of keys: [String], in defaults: UserDefaults,
      _ areSame: @escaping @Sendable (Element, Element) -> Bool,
      _ element: @escaping @Sendable ([PropertyListValue?]) -> Element
    ) {
      self.init(in: defaults, areSame, element) { Observer(keys, deliversInitial: true, $0) }
    }

    /// All values of the search list, and then again whenever one changes.
    init(
      ofAllKeysIn defaults: UserDefaults,
      _ element: @escaping @Sendable ([String: PropertyListValue]) -> Element
    ) {
      self.init(in: defaults, { _, _ in false }) { stored in
        guard case .dictionary(let values)? = stored.first else { return element([:]) }
        return element(values)
      } _: {
        Observer.ofAllKeys(deliversInitial: true, $0)
      }
    }

    private init(
      in defaults: UserDefaults, _ areSame: @escaping @Sendable (Element, Element) -> Bool,
      _ element: @escaping @Sendable ([PropertyListValue?]) -> Element,
      _ observer: @escaping @Sendable (@escaping @Sendable (Observer.Change) -> Void) -> Observer
    ) {
      self.areSame = areSame
      begin = {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
          let observer = observer { change in
            continuation.yield(Delivery(stored: change.new, element: element(change.new)))
          }
          defaults.stack.add(observer)
          let observation = KeyObservation(defaults, observer)
          continuation.onTermination = { _ in observation.cancel() }
        }
      }
    }

    /// An iterator over the values from now on.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(over: begin().makeAsyncIterator(), areSame)
    }

    /// Waits for values.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private var base: AsyncStream<Delivery>.AsyncIterator
      private let areSame: @Sendable (Element, Element) -> Bool
      private var last: Delivery?

      init(
        over base: AsyncStream<Delivery>.AsyncIterator,
        _ areSame: @escaping @Sendable (Element, Element) -> Bool
      ) {
        (self.base, self.areSame) = (base, areSame)
      }

      /// The next value that differs from the last one; nil once the task is cancelled.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async -> Element? {
        while let next = await base.next(isolation: actor) {
          if let last, last.stored == next.stored || areSame(last.element, next.element) {
            continue
          }
          last = next
          return next.element
        }
        return nil
      }
    }
  }
}
