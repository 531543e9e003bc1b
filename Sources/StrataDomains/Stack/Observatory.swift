import StrataPropertyList
import StrataStorage
import Synchronization

/// Who observes one stack, and the watches that this needs.
///
/// Locking: values are looked up under the lock, so that a later look is noted later; observers are
/// called without it.
final class Observatory: @unchecked Sendable {
  // Safety: guarded by `lock`, but for the count, which is atomic.
  private var observers: [String: [Observer]] = [:]
  private var watches: [(store: Store, watch: Store.Watch)] = []
  private let count = Atomic<Int>(0)
  private let lock = Lock(.observers)

  var isInUse: Bool { count.load(ordering: .sequentiallyConsistent) != 0 }

  /// - Returns: whether it is the first.
  func add(_ observer: Observer, to stack: Stack) -> Bool {
    lock.withLock {
      observer.begin(with: stack.value(forKey: observer.key))
      observers[observer.key, default: []].append(observer)
      return count.add(1, ordering: .sequentiallyConsistent).oldValue == 0
    }
  }

  /// - Returns: whether it was the last.
  func remove(_ observer: Observer) -> Bool {
    lock.withLock {
      var left = observers[observer.key] ?? []
      guard let index = left.firstIndex(where: { $0 === observer }) else { return false }
      left.remove(at: index)
      observers[observer.key] = left.isEmpty ? nil : left
      return count.subtract(1, ordering: .sequentiallyConsistent).newValue == 0
    }
  }

  /// - Returns: who is to be told.
  func note(_ keys: [String]?, in stack: Stack, by origin: Observer.Origin) -> [Observer] {
    lock.withLock {
      (keys ?? Array(observers.keys)).flatMap { key -> [Observer] in
        guard let concerned = observers[key] else { return [] }
        let value = stack.value(forKey: key)
        return concerned.filter { $0.note(value, by: origin) }
      }
    }
  }

  /// Who wants to be warned of changes of a key.
  func warned(of key: String) -> [Observer] {
    lock.withLock { observers[key]?.filter(\.warns) ?? [] }
  }

  /// Watches exactly these stores from now on.
  func watch(_ stores: [Store], _ body: @escaping @Sendable ([Change]) -> Void = { _ in }) {
    var next = lock.withLock { watches.filter { item in stores.contains { $0 === item.store } } }
    for store in stores where !next.contains(where: { $0.store === store }) {
      next.append((store, store.watch(body)))
    }
    let old = lock.withLock {
      defer { watches = next }
      return watches
    }
    withExtendedLifetime(old) {}  // a watch ends with its last reference: not under the lock
  }
}
