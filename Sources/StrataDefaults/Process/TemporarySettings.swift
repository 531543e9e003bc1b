import StrataDomains
import Synchronization

/// The settings that replace the program's own in one task tree: see `withTemporaryDefaults`.
///
/// The object is one of a class that lies higher, and only kept here.
struct TemporarySettings: Sendable {
  let object: any AnyObject & Sendable
  let stack: Stack

  @TaskLocal static var ofTask: TemporarySettings?
  // Whether a task tree has had some: in a program without any, asking costs one load of memory. It
  // stays so, since a task may outlive the call that gave it its settings.
  // Ordering: a task's parents noted it before it began, which orders it.
  private static let areUsed = Atomic<Bool>(false)

  @inline(__always)
  static var current: TemporarySettings? {
    areUsed.load(ordering: .relaxed) ? ofTask : nil
  }

  /// To be called before `ofTask` is set.
  static func begin() { areUsed.store(true, ordering: .sequentiallyConsistent) }
}
