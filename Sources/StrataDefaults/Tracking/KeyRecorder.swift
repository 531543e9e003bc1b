import Foundation
import Synchronization

/// Records which keys a piece of code reads, so that a property that is computed from defaults can
/// be observed, although key paths carry no names.
enum KeyRecorder {
  private static let name = "strata.recorded-keys"
  // Nonzero while a thread records; otherwise, a read costs one more load of memory.
  private static let count = Atomic<Int>(0)

  private final class Keys {
    var keys: [String] = []
  }

  /// Returns what `body` returns and the keys that it reads, on this thread and of any object.
  static func record<Value>(_ body: () -> Value) -> (value: Value, keys: [String]) {
    let dictionary = Foundation.Thread.current.threadDictionary
    let outer = dictionary[name]
    let keys = Keys()
    dictionary[name] = keys
    count.wrappingAdd(1, ordering: .sequentiallyConsistent)
    defer {
      count.wrappingSubtract(1, ordering: .sequentiallyConsistent)
      dictionary[name] = outer
    }
    return (body(), keys.keys)
  }

  @inline(__always)
  static func recordRead(of key: String) {
    if count.load(ordering: .relaxed) != 0 { recordHere(key) }
  }

  private static func recordHere(_ key: String) {
    guard let keys = Foundation.Thread.current.threadDictionary[name] as? Keys else { return }
    if !keys.keys.contains(key) { keys.keys.append(key) }
  }
}
