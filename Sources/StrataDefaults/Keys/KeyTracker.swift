import Observation
import StrataDomains
import StrataStorage
import Synchronization

/// What stands for the values of one `UserDefaults` in Swift's Observation.
///
/// Reading a value registers its key there. Only when somebody tracks does a core observer begin,
/// and it ends once a change came that nobody was waiting for any more.
final class KeyTracker: Observable, @unchecked Sendable {
  // Safety: the observers are guarded by the lock; the registrar guards itself.
  private let registrar = ObservationRegistrar()
  private var observers: [String: WeakObserver] = [:]
  private let lock = Lock(.memory)

  // The settings keep an observer, and it keeps this object: as long as somebody tracks, and no
  // longer than the settings are there.
  private struct WeakObserver { weak var observer: Observer? }

  typealias Path = any KeyPath<KeyTracker, Void> & Sendable

  /// What key paths lead to: one for each key, which stands for its value.
  subscript(_: KeyTrace) -> Void { () }

  /// To be called before a value is read.
  ///
  /// Observation does not say whether anybody tracks. But to remember a key path it must hash it,
  /// and does so for nothing else while a value is read: the trace counts that.
  @inline(__always)
  func note(_ key: UserDefaults.Keys, in stack: Stack) {
    let before = key.trace.count
    registrar.access(self, keyPath: key.path)
    if key.trace.count != before { follow(key, in: stack) }
  }

  /// Begins to observe unless somebody does. The tracking is registered already: from here on it
  /// hears of every change, so that a value which is read next is never one that stays unheard.
  private func follow(_ key: UserDefaults.Keys, in stack: Stack) {
    let name = key.name
    if lock.withLock({ observers[name]?.observer != nil }) { return }
    let heard = Atomic<Int>(0)
    let observer = Observer([name]) { [self, weak stack] _ in
      guard let stack else { return }
      // Nobody tracked it again since the last change: whoever does from now on begins anew.
      if key.trace.count == heard.load(ordering: .relaxed) { forget(name, stack) }
      registrar.withMutation(of: self, keyPath: key.path) {}
      heard.store(key.trace.count, ordering: .relaxed)
    }
    stack.begin(observer)
    let isFirst = lock.withLock {
      if observers[name]?.observer != nil { return false }
      observers[name] = WeakObserver(observer: observer)
      return true
    }
    if !isFirst { stack.end(observer) }
  }

  private func forget(_ name: String, _ stack: Stack) {
    let ended = lock.withLock { observers.removeValue(forKey: name)?.observer }
    if let ended { stack.end(ended) }
  }

  /// How many keys are observed on behalf of trackings.
  var count: Int { lock.withLock { observers.values.count { $0.observer != nil } } }
}

/// A key as a part of key paths, which counts how often it is hashed.
final class KeyTrace: Hashable, Sendable {
  private let name: String
  private let hashes = Atomic<Int>(0)

  init(_ name: String) { self.name = name }

  var count: Int { hashes.load(ordering: .relaxed) }

  static func == (left: KeyTrace, right: KeyTrace) -> Bool { left.name == right.name }

  func hash(into hasher: inout Hasher) {
    hashes.wrappingAdd(1, ordering: .relaxed)
    hasher.combine(name)
  }
}
