import Observation
import StrataDomains
import StrataStorage
import Synchronization

/// Represents the values of one search list in Swift's Observation, whichever objects read them.
///
/// Reading a value registers its key there. A key is observed once somebody tracks it, until a
/// change comes that nobody was waiting for.
final class KeyTracker: Observable, @unchecked Sendable {
  // Safety: the observers are guarded by the lock; the registrar guards itself.
  private let lazyRegistrar = AtomicLazyReference<Registrar>()
  private var observedKeys: [String: ObservedKey] = [:]
  private let lock = Lock(.memory)

  // The stack keeps the observer, and the observer keeps the stack as long as somebody tracks: the
  // value may have been read through an object that is gone. What is in memory, nobody can change
  // who does not keep it.
  private struct ObservedKey {
    weak var observer: Observer?
    /// What those track who have read the key since its last change; nil if nobody has.
    var value: TrackedValue?
  }

  /// Made when it is needed: most processes track nothing, and the first one takes a tenth of a
  /// millisecond.
  private var registrar: ObservationRegistrar {
    (lazyRegistrar.load() ?? lazyRegistrar.storeIfNil(Registrar())).registrar
  }

  private final class Registrar: Sendable {
    let registrar = ObservationRegistrar()
  }

  /// The only one of this stack.
  static func of(_ stack: Stack) -> KeyTracker {
    unsafeDowncast(stack.companion { KeyTracker() }, to: KeyTracker.self)
  }

  /// A key as Observation tracks it.
  struct Key: Sendable {
    let name: String
    let counted: HashCountedKey
    let path: any KeyPath<KeyTracker, Void> & Sendable
    /// Whether the hash count tells that somebody tracks. Otherwise the key is observed as soon as
    /// it is read, and each change is fired twice, the second time for trackings that were
    /// registered too late for the first.
    let detectsTracking: Bool

    init(_ name: String, detectsTracking: Bool = HashCountedKey.isHashedWhereTracked) {
      let counted = HashCountedKey(name)
      self.name = name
      self.counted = counted
      self.detectsTracking = detectsTracking
      path = \KeyTracker.[counted]
    }
  }

  /// The target of a key's key path, whose key is hashed where somebody tracks.
  subscript(_: HashCountedKey) -> Void { () }

  /// The target of the key path that trackings wait for: one for each value of a key.
  subscript(_: TrackedValue) -> Void { () }

  /// Must be called before the value is read.
  ///
  /// Observation does not say whether anybody tracks. But it hashes a key path to remember it, and
  /// for nothing else while a value is read, so that the hash count tells.
  @inline(__always)
  func trackRead(of key: Key, in stack: Stack) {
    let before = key.counted.hashCount
    registrar.access(self, keyPath: key.path)
    if !key.detectsTracking || key.counted.hashCount != before { track(key, in: stack) }
  }

  /// The tracking is not registered yet, but the key is observed from here on: no change of a value
  /// that is read after this goes unnoticed.
  private func track(_ key: Key, in stack: Stack) {
    let value = lock.withLock { current(key.name) } ?? observe(key, in: stack)
    registrar.access(self, keyPath: \.[value])
  }

  /// Represents the value from now until its next change; nil if the key is not observed.
  private func current(_ name: String) -> TrackedValue? {
    guard observedKeys[name]?.observer != nil else { return nil }
    let value = observedKeys[name]?.value ?? TrackedValue()
    observedKeys[name]?.value = value
    return value
  }

  /// Starts to observe the key, unless another thread was faster.
  private func observe(_ key: Key, in stack: Stack) -> TrackedValue {
    let kept = stack.process.isInMemory ? nil : stack
    let observer = Observer([key.name], deliversRewrites: true) { [self, kept, weak stack] _ in
      if let stack = kept ?? stack { valueDidChange(key, in: stack) }
    }
    stack.add(observer)
    let (value, isFirst) = lock.withLock {
      if let value = current(key.name) { return (value, false) }
      let value = TrackedValue()
      observedKeys[key.name] = ObservedKey(observer: observer, value: value)
      return (value, true)
    }
    if !isFirst { stack.remove(observer) }
    return value
  }

  /// Fires the trackings of the value. If nobody has tracked the key since its last change, it is
  /// no longer observed; the next tracking starts that again.
  private func valueDidChange(_ key: Key, in stack: Stack) {
    let (value, ended) = lock.withLock { () -> (TrackedValue?, Observer?) in
      if let value = observedKeys[key.name]?.value {
        observedKeys[key.name]?.value = nil
        return (value, nil)
      }
      return (nil, observedKeys.removeValue(forKey: key.name)?.observer)
    }
    value?.fire(isRepeated: !key.detectsTracking) { [self] value in
      registrar.withMutation(of: self, keyPath: \.[value]) {}
    }
    if let ended { stack.remove(ended) }
  }

  /// How many keys are observed on behalf of trackings.
  var count: Int { lock.withLock { observedKeys.values.count { $0.observer != nil } } }
}
