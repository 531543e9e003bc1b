import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage

/// The objects that observe keys of one `UserDefaults`. They are not kept alive: one that is gone
/// is told nothing.
final class KeyValueRegistrations: @unchecked Sendable {
  // Safety: guarded by `lock`; contexts are handed back as they were given.
  private var all: [Registration] = []
  private let lock = Lock(.memory)

  struct Registration {
    weak var object: KeyValueObserver?
    let identity: ObjectIdentifier
    let context: UnsafeMutableRawPointer?
    let observer: Observer
  }

  func add(_ registration: Registration) { lock.withLock { all.append(registration) } }

  /// The newest that matches, which is one no more; any context matches nil.
  func take(
    _ object: KeyValueObserver, _ key: String, _ context: UnsafeMutableRawPointer?
  ) -> Observer? {
    lock.withLock {
      let index = all.lastIndex {
        $0.identity == ObjectIdentifier(object) && $0.observer.key == key
          && (context == nil || $0.context == context)
      }
      return index.map { all.remove(at: $0).observer }
    }
  }

  /// Those of objects that are gone, and in the end all.
  func takeDead(orAll isAll: Bool) -> [Observer] {
    lock.withLock {
      let dead = all.filter { isAll || $0.object == nil }
      all.removeAll { isAll || $0.object == nil }
      return dead.map(\.observer)
    }
  }
}
