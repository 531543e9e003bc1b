import Dispatch
import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Watches that begin and end while others do.
@Suite(.serialized) struct EndingWatchConcurrencyTests {
  private let directory = TemporaryDirectory()

  private func process() -> StorageProcess {
    StorageProcess(on: SystemFileSystem(), isAutomatic: false, feedMode: .chosen)
  }

  private func store(of process: StorageProcess, _ number: Int = 0) -> Store {
    process.store(at: StorePaths(identifier: "com.example.watch\(number)", in: directory.path))
  }

  private func store() -> Store { store(of: process()) }

  // O-2
  @Test func `a watch that another one's call ends is not called any more`() throws {
    let (mine, theirs) = (store(), store())
    let watches = Guarded<[Store.Watch]>([])
    let calls = Guarded<[Int]>([])
    let both = (0..<2).map { number in
      mine.watch { _ in
        let isFirst = calls.withLock { calls in
          calls.append(number)
          return calls.count == 1
        }
        if isFirst { watches.withLock { $0[1 - number] }.cancel() }
      }
    }
    watches.withLock { $0 = both }
    let told = Delivery()
    let last = mine.watch { told.take($0) }
    // The order of the three is open: at each delivery the one before it is over.
    for value: Int64 in 1...3 {
      try theirs.set(.integer(value), forKey: "a")
      #expect(told.hears(Change(key: "a", value: .integer(value))))
    }
    last.cancel()
    let numbers = calls.withLock { $0 }
    #expect(numbers.count >= 2, "the one that is left is told on")
    #expect(Set(numbers).count == 1, "and it has ended the other")
    watches.withLock { $0 = [] }
  }

  private final class AtEnd: Sendable {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
  }

  private static func keeping(_ object: AtEnd) -> @Sendable ([Change]) -> Void {
    { _ in withExtendedLifetime(object) {} }
  }

  @Test func `what a watch keeps may use the store when it ends`() {
    let (mine, done) = (store(), DispatchSemaphore(value: 0))
    let hasThread = Thread.start {
      mine.watch(
        Self.keeping(
          AtEnd {
            #expect(throws: Never.self) { try mine.set(.integer(1), forKey: "a") }
            done.signal()
          })
      ).cancel()
    }
    #expect(hasThread && done.wait(timeout: .now() + 60) == .success)
  }

  // S-7, O-6
  @Test func `a watch that begins again after no thread could be had is told`() throws {
    let disk = LimitedDisk()
    disk.hasThreads = false
    let process = StorageProcess(on: disk, isAutomatic: false, feedMode: .chosen)
    let (mine, theirs) = (store(of: process), store())
    mine.watch { _ in }.cancel()
    disk.hasThreads = true
    let told = Delivery()
    let watch = mine.watch { told.take($0) }
    usleep(useconds_t(Watcher.lingering / 1_000 + 300_000))
    try theirs.set(.integer(1), forKey: "a")
    #expect(told.hears(Change(key: "a", value: .integer(1)), within: 600))
    watch.cancel()
  }

  // O-6
  @Test func `a directory that is wanted since the last listener left is heard of`() throws {
    let (one, other) = (directory.path + "/one", directory.path + "/other")
    let watch = DirectoryWatch(in: process())
    let heard = DispatchSemaphore(value: 0)
    watch.watch([DirectoryPath(one)])
    watch.setListener {}
    watch.setListener(nil)
    watch.watch([DirectoryPath(other)])
    watch.setListener { heard.signal() }
    usleep(100_000)
    try #require(mkdir(other, 0o700) == 0)
    #expect(heard.wait(timeout: .now() + 600) == .success)
    watch.setListener(nil)
  }

  // O-6
  @Test func `a listener that could not see everything is called again`() throws {
    let watch = DirectoryWatch(in: process())
    let (calls, isDone) = (Guarded(0), DispatchSemaphore(value: 0))
    watch.watch([DirectoryPath(directory.path)], isForNames: true)
    watch.setListener { [weak watch] in
      let call = calls.withLock {
        $0 += 1
        return $0
      }
      if call < 4 { watch?.lookAgain() } else { isDone.signal() }
    }
    try #require(mkdir(directory.path + "/new", 0o700) == 0)
    #expect(isDone.wait(timeout: .now() + 600) == .success)
    watch.setListener(nil)
  }

  // O-6
  @Test func `who listens when no directory is left to wait for hears of a new list`() {
    let watch = DirectoryWatch(in: process())
    let heard = DispatchSemaphore(value: 0)
    watch.watch([])
    watch.setListener { heard.signal() }
    watch.notifyListener()
    #expect(heard.wait(timeout: .now() + 600) == .success)
    watch.setListener(nil)
  }

  // S-2
  @Test func `whoever begins to watch just before the last one is forgotten is told`() throws {
    let (process, theirs) = (process(), store())
    let (mine, told) = (store(of: process), Delivery())
    let watch = mine.watch { told.take($0) }
    // One that has found itself to be the last, when this one had not begun yet.
    let looks = Guarded(0)
    process.watcher.follow(mine) {
      looks.withLock {
        $0 += 1; return $0 > 1
      }
    }
    // What has ended goes after a moment.
    usleep(useconds_t(Watcher.lingering / 1_000 + 300_000))
    try theirs.set(.integer(1), forKey: "a")
    #expect(told.hears(Change(key: "a", value: .integer(1)), within: 60))
    watch.cancel()
  }
}
