import Foundation
import Synchronization

/// What threads record at this moment, each for itself, of what the code that they run does.
struct ThreadRecordings<Recording: AnyObject>: ~Copyable {
  private let name: StaticString
  // Nonzero while a thread records; otherwise, whoever asks pays for one load of memory.
  // Ordering: what counts for a thread is its own additions, which it always sees.
  private let count = Atomic<Int>(0)

  init(_ name: StaticString) { self.name = name }

  /// Whether some thread records.
  @inline(__always)
  var isAny: Bool { count.load(ordering: .relaxed) != 0 }

  /// This thread's, the innermost last.
  var current: [Recording] {
    Foundation.Thread.current.threadDictionary["\(name)"] as? [Recording] ?? []
  }

  /// Runs `body`, with `recording` as this thread's innermost.
  func with<Result, Failure: Error>(
    _ recording: Recording, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let dictionary = Foundation.Thread.current.threadDictionary
    let outer = current
    dictionary["\(name)"] = outer + [recording]
    count.wrappingAdd(1, ordering: .sequentiallyConsistent)
    defer {
      count.wrappingSubtract(1, ordering: .sequentiallyConsistent)
      dictionary["\(name)"] = outer.isEmpty ? nil : outer
    }
    return try body()
  }
}
