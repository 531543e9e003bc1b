import StrataDomains
import Synchronization

/// The settings that replace the program's own in one task tree: see `withTemporaryDefaults`.
///
/// The object is one of a class that lies higher, and only kept here.
struct TemporarySettings: Sendable {
  let object: any AnyObject & Sendable
  let stack: Stack

  @TaskLocal static var ofTask: TemporarySettings?
  // How many task trees have some: in a program without any, asking costs one load of memory.
  // Ordering: a task's parents counted before it began, which orders it.
  private static let count = Atomic<Int>(0)

  @inline(__always)
  static var current: TemporarySettings? {
    count.load(ordering: .relaxed) == 0 ? nil : ofTask
  }

  /// To be called before and after `ofTask` is set.
  static func begin() { count.wrappingAdd(1, ordering: .sequentiallyConsistent) }
  static func end() { count.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
}
