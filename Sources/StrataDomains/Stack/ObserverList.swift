import StrataPropertyList
import StrataStorage

/// The observers of one stack, and the watches that they need.
///
/// Locking: values are looked up and recorded under `lock`, so that they are recorded in the order
/// in which they were looked up; observers are called without it. `watching` is held while watches
/// start and end; no observer is called meanwhile.
final class ObserverList: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var observers: [String: [Observer]] = [:]
  private var observersOfAll: [Observer] = []
  private var members: Set<ObjectIdentifier> = []
  private let lock = Lock(.observers)

  // Safety: guarded by `watching`.
  private var watches: [(store: Store, watch: Store.Watch)] = []
  private let watching = Lock(.watching)

  var count: Int { lock.withLock { members.count } }

  /// - Returns: whether it is the only observer.
  func add(_ observer: Observer, in stack: Stack) -> Bool {
    lock.withLock {
      // Another thread has removed it before it was added.
      if observer.isEnded { return false }
      members.insert(ObjectIdentifier(observer))
      // Before its values are read, so that each change by this process is recorded or in them.
      if members.count == 1 { stack.process.addObserved(stack) }
      if observer.observesAllKeys {
        observersOfAll.append(observer)
        observer.start(with: [.dictionary(stack.values())])
      } else {
        observer.start(with: stack.values(forKeys: observer.keys))
        index(observer)
      }
      return members.count == 1
    }
  }

  /// Replaces the keys of an observer. To be called by its body.
  func setKeys(of observer: Observer, to keys: [String], in stack: Stack) {
    lock.withLock {
      if observer.isEnded { return }
      unindex(observer)
      observer.restart(on: keys, with: stack.values(forKeys: keys))
      index(observer)
    }
  }

  /// - Returns: whether it was the last observer.
  func remove(_ observer: Observer, in stack: Stack) -> Bool {
    lock.withLock {
      guard members.remove(ObjectIdentifier(observer)) != nil else { return false }
      if observer.observesAllKeys { observersOfAll.removeAll { $0 === observer } }
      unindex(observer)
      if members.isEmpty { stack.process.removeObserved(stack) }
      return members.isEmpty
    }
  }

  private func index(_ observer: Observer) {
    for key in Set(observer.keys) { observers[key, default: []].append(observer) }
  }

  private func unindex(_ observer: Observer) {
    for key in Set(observer.keys) {
      guard let index = observers[key]?.firstIndex(where: { $0 === observer }) else { continue }
      if observers[key]?.count == 1 {
        observers[key] = nil
      } else {
        observers[key]?.remove(at: index)
      }
    }
  }

  /// Records the values that these keys, or (nil) all keys, have now.
  /// - Parameter areTouched: whether the keys are known to have been set, to any value.
  /// - Returns: the observers to notify.
  func record(
    _ keys: [String]?, in stack: Stack, by origin: Observer.Origin, areTouched: Bool = false
  ) -> [Observer] {
    lock.withLock {
      let pending = recordEach(keys, in: stack, by: origin, areTouched)
      return observersOfAll.isEmpty ? pending : pending + recordAll(in: stack, by: origin)
    }
  }

  private func recordEach(
    _ keys: [String]?, in stack: Stack, by origin: Observer.Origin, _ areTouched: Bool
  ) -> [Observer] {
    if let keys, keys.count == 1 {
      guard let concerned = observers[keys[0]] else { return [] }
      if concerned.allSatisfy(\.hasOneKey) {
        let value = stack.value(forKey: keys[0])
        return concerned.filter { $0.record([value], by: origin, areTouched: areTouched) }
      }
    }
    return recordTogether(keys ?? Array(observers.keys), in: stack, by: origin, areTouched)
  }

  /// Records all values with the observers of all keys.
  private func recordAll(in stack: Stack, by origin: Observer.Origin) -> [Observer] {
    let values = PropertyListValue.dictionary(stack.values())
    return observersOfAll.filter { $0.record([values], by: origin) }
  }

  /// Records changes of one moment as one change for observers of several of these keys; all values
  /// are read at one moment.
  private func recordTogether(
    _ keys: [String], in stack: Stack, by origin: Observer.Origin, _ areTouched: Bool = false
  ) -> [Observer] {
    var seen: Set<ObjectIdentifier> = []
    let concerned = keys.flatMap { observers[$0] ?? [] }
      .filter { seen.insert(ObjectIdentifier($0)).inserted }
    let needed = Array(Set(concerned.flatMap(\.keys)))
    let values = Dictionary(uniqueKeysWithValues: zip(needed, stack.values(forKeys: needed)))
    return concerned.filter { observer in
      observer.record(observer.keys.map { values[$0] ?? nil }, by: origin, areTouched: areTouched)
    }
  }

  /// Records what this process has just set in a domain of the list. If others have set a key
  /// since, that is recorded after it, as a change by them.
  ///
  /// Locking: the caller has held `changeLock` since before the change, so no other thread of this
  /// process has set anything since.
  /// - Returns: the observers to notify.
  func record(
    _ changes: [Change], in layer: Layer, of stack: Stack, by origin: Observer.Origin
  ) -> [Observer] {
    lock.withLock {
      var pending: [Observer] = []
      var others: [String] = []
      for change in changes {
        guard let concerned = observers[change.key] else { continue }
        let now = stack.value(forKey: change.key)
        let effect = now == change.value ? .value(now) : stack.effect(of: change, in: layer)
        let isOvertaken = effect != .value(now)
        for observer in concerned where observer.hasOneKey {
          var isPending = false
          if case .value(let value) = effect { isPending = observer.record([value], by: origin) }
          if isOvertaken { isPending = observer.record([now], by: .elsewhere) || isPending }
          if isPending { pending.append(observer) }
        }
        if !concerned.allSatisfy(\.hasOneKey) { others.append(change.key) }
      }
      if !others.isEmpty { pending += recordTogether(others, in: stack, by: origin) }
      return observersOfAll.isEmpty ? pending : pending + recordAll(in: stack, by: origin)
    }
  }

  /// The observers to notify before a key changes.
  func priorObservers(of key: String) -> [Observer] {
    lock.withLock { observers[key]?.filter(\.notifiesPrior) ?? [] }
  }

  /// Replaces the watched stores by those that `wanted` returns; its argument is whether there are
  /// observers.
  ///
  /// To be called after the first observer was added or the last one removed. If several threads
  /// call it, the last call sees the final state, so watches never end while there are observers.
  func updateWatches(_ wanted: (Bool) -> [Store], _ body: @escaping @Sendable ([String]) -> Void) {
    watching.withLock {
      let stores = wanted(count > 0)
      watches.removeAll { item in !stores.contains { $0 === item.store } }
      for store in stores where !watches.contains(where: { $0.store === store }) {
        watches.append((store, store.addListener { body($0.map(\.key)) }))
      }
    }
  }
}
