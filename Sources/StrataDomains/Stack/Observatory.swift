import StrataPropertyList
import StrataStorage

/// Who observes one stack, and the watches that this needs.
///
/// Locking: values are looked up under `lock`, so that a later look is noted later; observers are
/// called without it. `watching` is held while watches begin and end, and nobody is called then.
final class Observatory: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var observers: [String: [Observer]] = [:]
  private var members: Set<ObjectIdentifier> = []
  private let lock = Lock(.observers)

  // Safety: guarded by `watching`.
  private var watches: [(store: Store, watch: Store.Watch)] = []
  private let watching = Lock(.watching)

  var isInUse: Bool { lock.withLock { !members.isEmpty } }

  /// - Returns: whether it is the first.
  func add(_ observer: Observer, in stack: Stack) -> Bool {
    lock.withLock {
      observer.begin(with: observer.keys.map(stack.value(forKey:)))
      list(observer)
      members.insert(ObjectIdentifier(observer))
      return members.count == 1
    }
  }

  /// Has an observer, while it is told, observe other keys from now on.
  func move(_ observer: Observer, to keys: [String], in stack: Stack) {
    lock.withLock {
      if observer.isEnded { return }
      unlist(observer)
      observer.go(on: keys, with: keys.map(stack.value(forKey:)))
      list(observer)
    }
  }

  /// - Returns: whether it was the last.
  func remove(_ observer: Observer) -> Bool {
    lock.withLock {
      guard members.remove(ObjectIdentifier(observer)) != nil else { return false }
      unlist(observer)
      return members.isEmpty
    }
  }

  private func list(_ observer: Observer) {
    for key in Set(observer.keys) { observers[key, default: []].append(observer) }
  }

  private func unlist(_ observer: Observer) {
    for key in Set(observer.keys) {
      let left = (observers[key] ?? []).filter { $0 !== observer }
      observers[key] = left.isEmpty ? nil : left
    }
  }

  /// - Returns: who is to be told.
  func note(_ keys: [String]?, in stack: Stack, by origin: Observer.Origin) -> [Observer] {
    lock.withLock {
      (keys ?? Array(observers.keys)).flatMap { key -> [Observer] in
        guard let concerned = observers[key] else { return [] }
        let value = stack.value(forKey: key)
        return concerned.filter { $0.note(key, value, by: origin) }
      }
    }
  }

  /// Who wants to be warned of changes of a key.
  func warned(of key: String) -> [Observer] {
    lock.withLock { observers[key]?.filter(\.warns) ?? [] }
  }

  /// Watches the stores that `wanted` names from now on; it is told whether anybody observes.
  ///
  /// Whoever adds the first observer or removes the last one calls this then, and whoever comes
  /// last sees how things are: so watches never end while somebody observes.
  func watch(_ wanted: (Bool) -> [Store], _ body: @escaping @Sendable ([String]) -> Void) {
    watching.withLock {
      let stores = wanted(isInUse)
      watches.removeAll { item in !stores.contains { $0 === item.store } }
      for store in stores where !watches.contains(where: { $0.store === store }) {
        watches.append((store, store.listen { body($0.map(\.key)) }))
      }
    }
  }
}
