import StrataDomains
import StrataStorage

/// The objects that observe keys of one `UserDefaults`. They are not retained, and removed when
/// they are deallocated.
final class KeyValueRegistrations: KeyValueRegistry, @unchecked Sendable {
  // Safety: guarded by `lock`; contexts are handed back as they were given.
  private var all: [Registration] = []
  private let lock = Lock(.memory)
  private let stack: Stack

  // No reference to the object, not even a weak one: to load that may make the last strong one, and
  // the object would end under the lock.
  private final class Registration {
    let identity: ObjectIdentifier
    let context: UnsafeMutableRawPointer?
    let observer: Observer
    /// The observer's. Not asked of it under the lock: its own lock has the same rank.
    let keys: [String]

    init(_ object: KeyValueObserver, _ context: UnsafeMutableRawPointer?, _ observer: Observer) {
      (self.context, self.observer) = (context, observer)
      identity = ObjectIdentifier(object)
      keys = observer.keys
    }
  }

  init(in stack: Stack) { self.stack = stack }

  deinit { for registration in all { stack.remove(registration.observer) } }

  // Safety: the context is only compared.
  func add(
    _ object: KeyValueObserver, _ observer: Observer, _ context: UnsafeMutableRawPointer?
  ) {
    let registration = Registration(object, context, observer)
    lock.withLock { all.append(registration) }
    object.didRegister(in: self)
    stack.add(observer)
  }

  // Safety: the context is only compared.
  /// Removes the latest with this context, which may be nil, or with any.
  /// - Returns: whether there was one.
  func remove(
    _ object: KeyValueObserver, _ key: String, _ context: UnsafeMutableRawPointer??
  ) -> Bool {
    let found = lock.withLock {
      let index = all.lastIndex {
        $0.identity == ObjectIdentifier(object) && $0.keys == [key]
          && context.map { [own = $0.context] in $0 == own } ?? true
      }
      return index.map { all.remove(at: $0).observer }
    }
    if let found { stack.remove(found) }
    return found != nil
  }

  /// Removes those of an object that is being deallocated.
  func removeAll(of object: ObjectIdentifier) {
    let gone = lock.withLock {
      let gone = all.filter { $0.identity == object }
      if !gone.isEmpty { all.removeAll { $0.identity == object } }
      return gone
    }
    for registration in gone { stack.remove(registration.observer) }
  }
}
