import Glibc
import StrataPropertyList
import StrataTesting
import Synchronization
import Testing

@testable import StrataStorage

/// Threads of one process that read and write one domain.
@Suite(.serialized) struct ConcurrencyTests {
  static let readers = 4
  static let writers = 2
  static let sets: Int64 = 20_000

  // S-1, S-13
  @Test func `no thread reads an older value after a newer one`() throws {
    let place = try Place()
    let store = StorageProcess(on: SystemFileSystem(), isAutomatic: true).store(at: place.paths)
    let complaints = Guarded<[String]>([])
    let isDone = Atomic<Bool>(false)
    // What was set before a read began is the least that the read may give.
    let returned = (0..<Self.writers).map { _ in SharedNumber() }
    let threads = Self.writers + Self.readers
    inParallel(threads + 1) { thread in
      if thread < Self.writers {
        for number in 1...Self.sets {
          do { try store.set(.integer(number), forKey: "counter\(thread)") } catch {
            complaints.withLock { $0.append("\(error)") }
          }
          returned[thread].value.store(number, ordering: .releasing)
        }
        if thread == 0 { isDone.store(true, ordering: .releasing) }
      } else if thread < threads {
        let key = thread % Self.writers
        var last: Int64 = 0
        while !isDone.load(ordering: .acquiring) {
          let least = max(last, returned[key].value.load(ordering: .acquiring))
          last = store.integer(forKey: "counter\(key)") ?? 0
          if last < least { complaints.withLock { $0.append("\(last) after \(least)") } }
        }
      } else {
        while !isDone.load(ordering: .acquiring) {
          store.flush()
          _ = store.snapshot()
          _ = store.synchronize()
        }
      }
    }
    #expect(complaints.withLock { $0.prefix(5) } == [])
    #expect(store.integer(forKey: "counter0") == Self.sets)
    #expect(store.integer(forKey: "counter1") == Self.sets)
    rest(store)
  }

  /// Until the thread that flushes is done: it would make the directory anew.
  private func rest(_ store: Store) {
    #expect(store.flush())
    #expect(holds(within: 600) { store.lock.withLock { !store.flushSchedule.isScheduled } })
  }

  // S-1, S-13
  @Test func `threads that add, remove and enumerate keys never see a torn value`() throws {
    let place = try Place()
    let store = StorageProcess(on: SystemFileSystem(), isAutomatic: true).store(at: place.paths)
    let complaints = Guarded<[String]>([])
    let isDone = Atomic<Bool>(false)
    inParallel(4) { thread in
      if thread == 0 {
        for number in 0..<2_000 {
          let text = PropertyListValue.string(String(repeating: "\(number % 10)", count: 100))
          let value: PropertyListValue? = number % 7 == 6 ? nil : text
          do { try store.set(value, forKey: "key\(number % 600)") } catch {
            complaints.withLock { $0.append("\(error)") }
          }
        }
        isDone.store(true, ordering: .releasing)
      } else {
        var number = 0
        while !isDone.load(ordering: .acquiring) {
          number += 1
          guard let text = store.string(forKey: "key\(number % 600)") else { continue }
          if text.utf8.count != 100 || Set(text.utf8).count != 1 {
            complaints.withLock { $0.append(text) }
          }
        }
      }
    }
    #expect(complaints.withLock { $0.prefix(5) } == [])
    #expect(store.snapshot().values.count <= 600)
    rest(store)
  }
}

/// A number that threads share.
private final class SharedNumber: Sendable {
  let value = Atomic<Int64>(0)
}

/// Runs `body` on so many threads, each with its number, and waits for them all.
func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let running = Countdown(count)
  for thread in 0..<count {
    let isStarted = Thread.start {
      body(thread)
      running.left.subtract(1, ordering: .releasing)
    }
    if !isStarted { running.left.subtract(1, ordering: .releasing) }
  }
  _ = holds(within: 600) { running.left.load(ordering: .acquiring) == 0 }
}

private final class Countdown: Sendable {
  let left: Atomic<Int>
  init(_ count: Int) { left = Atomic(count) }
}
