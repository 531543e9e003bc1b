import CStrata
import Synchronization

/// Objects that can't be reached any more, kept for readers that reached them before.
///
/// A thread may lose the processor in the middle of a read. Nobody waits for it: the next one that
/// retires something, or flushes, releases what it has left by then.
enum RetiredObjects {
  private struct Item {
    // Safety: the records of readers are never freed.
    let readers: [(record: UnsafeMutablePointer<strata_reader>, count: UInt64)]
    let object: AnyObject

    var isLeft: Bool { readers.allSatisfy { Readers.count(of: $0.record) != $0.count } }
  }

  private static let lock = Lock(.memory)
  // Safety: guarded by `lock`.
  nonisolated(unsafe) private static var items: [Item] = []

  /// Releases `object`, which must be unreachable by now, once no reader has it.
  static func add(_ object: AnyObject) {
    strata_barrier_in_all_threads()
    let item = Item(readers: Readers.thoseReading(), object: object)
    lock.withLock { items.append(item) }
    sweep()
  }

  /// Releases what readers have left.
  static func sweep() {
    // Released without the lock: the last reference to a journal closes it.
    let left = lock.withLock {
      var (left, kept): ([Item], [Item]) = ([], [])
      for item in items { if item.isLeft { left.append(item) } else { kept.append(item) } }
      items = kept
      return left
    }
    withExtendedLifetime(left) {}
  }
}
