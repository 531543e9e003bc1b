import CStrata
import Synchronization

/// How threads read shared structures without a lock, and how a writer knows when they have left.
///
/// A reader counts its record up before and after; while the count is odd, it may hold pointers. A
/// writer first unlinks what it is going to free, and then asks `haveLeft`: that makes a barrier in
/// all threads, and sees every count even, or sees it move. Then what was unlinked before can be
/// freed.
///
/// Ordering: a count goes odd relaxed, and is even again releasing. That it is odd before the
/// reader loads a pointer is the business of the writer's barrier; this thread's own fence only
/// holds back the compiler. That what was read is read before the count is even, or moves on, is
/// what the release says, and the writer acquires it. A later odd count is a relaxed store that
/// follows that release in its thread: it continues it, by the language's rules up to C++17 and on
/// every processor. `Tests/Litmus` tries all of this.
package enum Readers {
  /// Runs `body` as a reader: whatever it can reach stays allocated until it returns.
  @inline(__always)
  static func reading<Result>(_ body: () -> Result) -> Result {
    let count = counter(of: strata_reader_self())
    let value = count.pointee.load(ordering: .relaxed)
    count.pointee.store(value &+ 1, ordering: .relaxed)
    strata_reader_fence()
    defer { count.pointee.store(value &+ 2, ordering: .releasing) }
    return body()
  }

  /// What `reading` does before its body, for a caller that can't read in a closure. `end` must
  /// follow soon on the same thread, with no other reading in between.
  package static func begin() {
    let count = counter(of: strata_reader_self())
    count.pointee.store(count.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    strata_reader_fence()
  }

  package static func end() {
    let count = counter(of: strata_reader_self())
    count.pointee.store(count.pointee.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  /// Whether every thread that was reading has left since; false means "not yet".
  package static func haveLeft() -> Bool {
    strata_barrier_in_all_threads()
    var reader = strata_reader_first()
    while let current = reader {
      guard hasLeft(current) else { return false }
      reader = current.pointee.next
    }
    return true
  }

  /// The threads that are reading at this moment, each with its count.
  static func thoseReading() -> [(record: UnsafeMutablePointer<strata_reader>, count: UInt64)] {
    var found: [(record: UnsafeMutablePointer<strata_reader>, count: UInt64)] = []
    var reader = strata_reader_first()
    while let current = reader {
      let count = count(of: current)
      if count & 1 == 1 { found.append((current, count)) }
      reader = current.pointee.next
    }
    return found
  }

  static func count(of reader: UnsafeMutablePointer<strata_reader>) -> UInt64 {
    counter(of: reader).pointee.load(ordering: .acquiring)
  }

  private static func hasLeft(_ reader: UnsafeMutablePointer<strata_reader>) -> Bool {
    let count = counter(of: reader)
    let seen = count.pointee.load(ordering: .acquiring)
    if seen & 1 == 0 { return true }
    for _ in 0..<1_000 {
      if count.pointee.load(ordering: .acquiring) != seen { return true }
      strata_pause()
    }
    return false
  }

  // Safety: the record's first word is the count, and an `Atomic` word has a word's layout.
  @inline(__always)
  private static func counter(
    of reader: UnsafeMutablePointer<strata_reader>?
  ) -> UnsafeMutablePointer<Atomic<UInt64>> {
    UnsafeMutableRawPointer(reader.unsafelyUnwrapped).assumingMemoryBound(to: Atomic<UInt64>.self)
  }
}
