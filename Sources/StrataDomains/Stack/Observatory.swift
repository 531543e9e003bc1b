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

  var count: Int { lock.withLock { members.count } }

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
      let keys = keys ?? Array(observers.keys)
      if keys.count == 1 {
        guard let concerned = observers[keys[0]] else { return [] }
        let values = [(key: keys[0], value: stack.value(forKey: keys[0]))]
        return concerned.filter { $0.note(values, by: origin) }
      }
      // What changed at one moment is one change to who observes several of the keys.
      var concerned: [(observer: Observer, values: [(key: String, value: PropertyListValue?)])] = []
      var places: [ObjectIdentifier: Int] = [:]
      for key in keys {
        guard let observers = observers[key] else { continue }
        let value = stack.value(forKey: key)
        for observer in observers {
          let place = places[ObjectIdentifier(observer), default: concerned.count]
          if place == concerned.count {
            places[ObjectIdentifier(observer)] = place
            concerned.append((observer, []))
          }
          concerned[place].values.append((key, value))
        }
      }
      return concerned.filter { $0.observer.note($0.values, by: origin) }.map(\.observer)
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
      let stores = wanted(count > 0)
      watches.removeAll { item in !stores.contains { $0 === item.store } }
      for store in stores where !watches.contains(where: { $0.store === store }) {
        watches.append((store, store.listen { body($0.map(\.key)) }))
      }
    }
  }
}
