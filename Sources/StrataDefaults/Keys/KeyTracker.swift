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
  private var followings: [String: Following] = [:]
  private let lock = Lock(.memory)

  // The settings keep an observer, and it keeps this object: as long as somebody tracks, and no
  // longer than the settings are there.
  private struct Following {
    weak var observer: Observer?
    /// Whether somebody tracked since the last change.
    var isWanted = true
  }

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
    if want(key.name) { return }
    let observer = Observer([key.name]) { [self, weak stack] _ in
      guard let stack else { return }
      forgetUnlessWanted(key.name, stack)
      registrar.withMutation(of: self, keyPath: key.path) {}
    }
    stack.begin(observer)
    let isFirst = lock.withLock {
      if followings[key.name]?.observer != nil { return false }
      followings[key.name] = Following(observer: observer)
      return true
    }
    if !isFirst { stack.end(observer) }
  }

  /// - Returns: whether the key is observed already.
  private func want(_ name: String) -> Bool {
    lock.withLock {
      guard followings[name]?.observer != nil else { return false }
      followings[name]?.isWanted = true
      return true
    }
  }

  /// What nobody tracked again since the last change is observed no longer: whoever tracks it from
  /// now on begins anew.
  private func forgetUnlessWanted(_ name: String, _ stack: Stack) {
    let ended: Observer? = lock.withLock {
      if followings[name]?.isWanted == true {
        followings[name]?.isWanted = false
        return nil
      }
      return followings.removeValue(forKey: name)?.observer
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
