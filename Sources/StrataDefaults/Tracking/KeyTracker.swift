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
  let registrar = ObservationRegistrar()
  private var observedKeys: [String: ObservedKey] = [:]
  private let lock = Lock(.memory)

  // The settings keep an observer, and it keeps this object: as long as somebody tracks, and no
  // longer than the settings are there.
  private struct ObservedKey {
    weak var observer: Observer?
    /// What those track who read since the last change; nil when nobody did.
    var value: TrackedValue?
  }

  /// A key as Observation tracks it.
  struct Key: Sendable {
    let name: String
    let trace: KeyTrace
    let path: any KeyPath<KeyTracker, Void> & Sendable

    init(_ name: String) {
      let trace = KeyTrace(name)
      self.name = name
      self.trace = trace
      path = \KeyTracker.[trace]
    }
  }

  /// What key paths lead to: one for each key, which is hashed where somebody tracks.
  subscript(_: KeyTrace) -> Void { () }

  /// One for each value of a key, which is what trackings wait for.
  subscript(_: TrackedValue) -> Void { () }

  /// To be called before a value is read.
  ///
  /// Observation does not say whether anybody tracks. But to remember a key path it must hash it,
  /// and does so for nothing else while a value is read: the trace counts that.
  @inline(__always)
  func trackRead(of key: Key, in stack: Stack) {
    let before = key.trace.count
    registrar.access(self, keyPath: key.path)
    if key.trace.count != before { track(key, in: stack) }
  }

  /// The tracking is not registered yet, but from here on a change is heard and will fire it: so
  /// a value which is read next is never one that stays unheard.
  private func track(_ key: Key, in stack: Stack) {
    let value = lock.withLock { current(key.name) } ?? observe(key.name, in: stack)
    registrar.access(self, keyPath: \.[value])
  }

  /// What stands for the value from now on until it changes; nil when nobody observes the key.
  private func current(_ name: String) -> TrackedValue? {
    guard observedKeys[name]?.observer != nil else { return nil }
    let value = observedKeys[name]?.value ?? TrackedValue()
    observedKeys[name]?.value = value
    return value
  }

  /// Begins to observe, unless somebody was faster.
  private func observe(_ name: String, in stack: Stack) -> TrackedValue {
    let observer = Observer([name], deliversRewrites: true) { [self, weak stack] _ in
      guard let stack else { return }
      valueDidChange(name, in: stack)
    }
    stack.add(observer)
    let (value, isFirst) = lock.withLock {
      if let value = current(name) { return (value, false) }
      let value = TrackedValue()
      observedKeys[name] = ObservedKey(observer: observer, value: value)
      return (value, true)
    }
    if !isFirst { stack.remove(observer) }
    return value
  }

  /// What nobody tracked again since the last change is observed no longer: whoever tracks it from
  /// now on begins anew.
  private func valueDidChange(_ name: String, in stack: Stack) {
    let (value, ended) = lock.withLock { () -> (TrackedValue?, Observer?) in
      if let value = observedKeys[name]?.value {
        observedKeys[name]?.value = nil
        return (value, nil)
      }
      return (nil, observedKeys.removeValue(forKey: name)?.observer)
    }
    value?.fire { [self] value in
      registrar.withMutation(of: self, keyPath: \.[value]) {}
    }
    if let ended { stack.remove(ended) }
  }

  /// How many keys are observed on behalf of trackings.
  var count: Int { lock.withLock { observedKeys.values.count { $0.observer != nil } } }
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
