import Glibc
import StrataPropertyList
import Synchronization
import StrataTesting
import Testing

@testable import StrataStorage

/// What a watched store tells.
@Suite(.serialized) struct WatchConcurrencyTests {
  private let directory = TemporaryDirectory()
  private var paths: StorePaths { StorePaths(identifier: "com.example.watch", in: directory.path) }

  private func store() -> Store {
    StorageProcess(on: SystemFileSystem(), isAutomatic: false, feedMode: .chosen).store(at: paths)
  }

  // S-2, S-8
  @Test func `changes of another process and of an editor are told and own ones are not`() throws {
    let mine = store()
    let theirs = store()
    try mine.set(.integer(1), forKey: "own")
    let told = Delivery()
    let watch = mine.watch { told.take($0) }
    try mine.set(.integer(2), forKey: "own")
    try theirs.set(.string("theirs"), forKey: "a")
    #expect(
      told.wait { $0.key == "a" } == [Change(key: "a", value: .string("theirs"))])

    #expect(theirs.flush())
    try theirs.set(.integer(7), forKey: "after a flush")
    #expect(told.wait { $0.key == "after a flush" }?.count == 2)

    try write(["edited": .boolean(true)])
    let all = told.wait { $0.key == "own" }
    #expect(all?.contains(Change(key: "edited", value: .boolean(true))) == true)
    #expect(all?.contains(Change(key: "a", value: nil)) == true)

    unlink(paths.plist)
    #expect(told.wait { $0 == Change(key: "edited", value: nil) } != nil)
    watch.cancel()
  }

  // S-2
  @Test func `to watch makes no journal, and the first set of another process is told`() throws {
    let mine = store()
    let told = Delivery()
    let watch = mine.watch { told.take($0) }
    #expect(access(paths.journal, F_OK) != 0)
    let theirs = store()
    for number in 1...100 { try theirs.set(.integer(Int64(number)), forKey: "a") }
    #expect(told.wait { $0 == Change(key: "a", value: .integer(100)) } != nil)
    watch.cancel()
  }

  // S-2
  @Test func `whoever watches alone is not woken by own sets, and others are`() throws {
    let mine = store()
    try mine.set(.integer(0), forKey: "a")
    let own = mine.watch { _ in }
    let disk = SystemFileSystem()
    let feed = try disk.makeFeed()
    defer { disk.close(feed) }
    _ = try disk.watch(paths.hidden, for: .signals, with: feed)
    try mine.set(.integer(1), forKey: "a")
    #expect(!disk.events(feed).contains { $0.name == StorePaths.lockFileName })
    let theirs = store()
    let told = Delivery()
    let watch = theirs.watch { told.take($0) }
    try mine.set(.integer(2), forKey: "a")
    #expect(disk.events(feed).contains { $0.name == StorePaths.lockFileName })
    #expect(told.wait { $0 == Change(key: "a", value: .integer(2)) } != nil)
    own.cancel()
    try mine.set(.integer(3), forKey: "a")
    #expect(told.wait { $0 == Change(key: "a", value: .integer(3)) } != nil)
    watch.cancel()
  }

  // S-2
  @Test func `whoever reads wakes nobody`() throws {
    let mine = store()
    try mine.set(.integer(1), forKey: "a")
    let disk = SystemFileSystem()
    let feed = try disk.makeFeed()
    defer { disk.close(feed) }
    _ = try disk.watch(paths.hidden, for: .signals, with: feed)
    #expect(store().integer(forKey: "a") == 1)
    #expect(disk.events(feed) == [])
  }

  // S-2
  @Test func `a watch of names is not told of sets, nor of what it lists itself`() throws {
    let mine = store()
    try mine.set(.integer(1), forKey: "a")
    let feed = Feed(on: SystemFileSystem())
    let (names, signals) = (ChangeHint(), ChangeHint())
    let watch = DirectoryWatch()
    watch.watch([DirectoryPath(paths.hidden)], isForNames: true)
    #expect(watch.subscribe(names, to: feed))
    let isHeard = feed.subscribe(
      signals, to: [StorePaths.lockFileName], in: paths.hidden, for: .signals, isHeld: true)
    #expect(isHeard)
    mine.lockOwner?.signal()
    #expect(try SystemFileSystem().names(in: paths.hidden).count > 0)
    feed.takeAll()
    #expect(signals.take() && !names.take())
    try write(["a": .integer(1)], to: paths.hidden + "/new")
    feed.takeAll()
    #expect(names.take())
  }

  // O-6
  @Test(arguments: [false, true])
  func `an edit that comes before the watcher listens is told`(isFeedLost: Bool) throws {
    let plist = paths.plist
    let waiting = Guarded<Store?>(nil)
    let disk = LimitedDisk { _, _ in
      // Not while the store looks at its files, as it does before the watch begins if the kernel's
      // queue has overflowed.
      guard let store = waiting.withLock({ $0 }), store.lock.tryLock() else { return }
      store.lock.unlock()
      if waiting.withLock({ $0.take() }) != nil { rename(plist + ".next", plist) }
    }
    let mine = StorageProcess(on: disk, isAutomatic: false).store(at: paths)
    try write(["a": .integer(1)])
    #expect(mine.integer(forKey: "a") == 1)
    try write(["a": .integer(2)], to: plist + ".next")
    waiting.withLock { $0 = mine }
    if isFeedLost {
      mine.feed.end()
      mine.table.checkAt = 0
    }
    let told = Delivery()
    let watch = mine.addListener { told.take($0.map { Change(key: $0.key, value: $0.new) }) }
    mine.lookForEdits()
    #expect(mine.snapshot().values["a"] == .integer(2))  // a reader is faster, or is not
    #expect(told.hears(Change(key: "a", value: .integer(2))))
    watch.cancel()
  }

  // O-10
  @Test func `a watch that was cancelled ends no other when it is released`() throws {
    let mine = store()
    let told = Delivery()
    var first: Store.Watch? = mine.watch { _ in }
    first?.cancel()
    let second = mine.watch { told.take($0) }
    first = nil
    try store().set(.integer(2), forKey: "a")
    #expect(told.hears(Change(key: "a", value: .integer(2))))
    second.cancel()
  }

  // S-13
  @Test func `what is watched again within a second keeps its subscriptions`() throws {
    let count = Atomic<Int>(0)
    let disk = LimitedDisk { path, _ in
      // That file is watched to wake the thread.
      if path != "/dev/null" { count.wrappingAdd(1, ordering: .relaxed) }
    }
    let mine = StorageProcess(on: disk, isAutomatic: false).store(at: paths)
    try mine.set(.integer(1), forKey: "a")
    let told = Delivery()
    var watch = mine.watch { told.take($0) }
    var isKept = false
    // On a machine that is busy the second may be over.
    for _ in 0..<20 where !isKept {
      let subscribed = count.load(ordering: .relaxed)
      watch.cancel()
      usleep(100_000)
      watch = mine.watch { told.take($0) }
      isKept = count.load(ordering: .relaxed) == subscribed
    }
    #expect(isKept)
    try store().set(.integer(2), forKey: "a")
    #expect(told.hears(Change(key: "a", value: .integer(2))))
    watch.cancel()
  }

  // S-13
  @Test func `the thread ends with the last watch`() throws {
    let mine = store()
    let watcher = mine.process.watcher
    #expect(!watcher.hasThread)
    let watch = mine.watch { _ in }
    #expect(watcher.hasThread)
    watch.cancel()
    let deadline = strataDeadline(seconds: 60)
    while watcher.hasThread && !deadline.hasPassed { sched_yield() }
    #expect(!watcher.hasThread)
  }

  private func write(_ values: [String: PropertyListValue], to path: String? = nil) throws {
    let path = path ?? paths.plist
    let bytes = try PropertyList.encode(.dictionary(values), as: .xml)
    let file = open(path + ".edit", O_CREAT | O_TRUNC | O_WRONLY, 0o600)
    #expect(bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) } == bytes.count)
    close(file)
    rename(path + ".edit", path)
  }
}

/// A moment after which a test gives up waiting.
struct Deadline {
  private let end: ContinuousClock.Instant
  init(end: ContinuousClock.Instant) { self.end = end }
  var hasPassed: Bool { ContinuousClock.now >= end }
}

func strataDeadline(seconds: Int) -> Deadline {
  Deadline(end: .now + .seconds(seconds))
}
