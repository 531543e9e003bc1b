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
  private var followings: [String: Following] = [:]
  private let lock = Lock(.memory)

  // The settings keep an observer, and it keeps this object: as long as somebody tracks, and no
  // longer than the settings are there.
  private struct Following {
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
  func note(_ key: Key, in stack: Stack) {
    let before = key.trace.count
    registrar.access(self, keyPath: key.path)
    if key.trace.count != before { track(key, in: stack) }
  }

  /// The tracking is not registered yet, but from here on a change is heard and will fire it: so
  /// a value which is read next is never one that stays unheard.
  private func track(_ key: Key, in stack: Stack) {
    let value = lock.withLock { current(key.name) } ?? follow(key.name, in: stack)
    registrar.access(self, keyPath: \.[value])
  }

  /// What stands for the value from now on until it changes; nil when nobody observes the key.
  private func current(_ name: String) -> TrackedValue? {
    guard followings[name]?.observer != nil else { return nil }
    let value = followings[name]?.value ?? TrackedValue()
    followings[name]?.value = value
    return value
  }

  /// Begins to observe, unless somebody was faster.
  private func follow(_ name: String, in stack: Stack) -> TrackedValue {
    let observer = Observer([name], deliversRewrites: true) { [self, weak stack] _ in
      guard let stack else { return }
      change(name, in: stack)
    }
    stack.begin(observer)
    let (value, isFirst) = lock.withLock {
      if let value = current(name) { return (value, false) }
      let value = TrackedValue()
      followings[name] = Following(observer: observer, value: value)
      return (value, true)
    }
    if !isFirst { stack.end(observer) }
    return value
  }

  /// What nobody tracked again since the last change is observed no longer: whoever tracks it from
  /// now on begins anew.
  private func change(_ name: String, in stack: Stack) {
    let (value, ended) = lock.withLock { () -> (TrackedValue?, Observer?) in
      if let value = followings[name]?.value {
        followings[name]?.value = nil
        return (value, nil)
      }
      return (nil, followings.removeValue(forKey: name)?.observer)
    }
    value?.fire { [self] value in
      registrar.withMutation(of: self, keyPath: \.[value]) {}
    }
    if let ended { stack.end(ended) }
  }

  /// How many keys are observed on behalf of trackings.
  var count: Int { lock.withLock { followings.values.count { $0.observer != nil } } }
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
