import Dispatch
import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// A kernel that has no watches left, and later has some.
@Suite struct ScarceWatchConcurrencyTests {
  private let place: Place
  private let home = TemporaryDirectory()

  init() throws { place = try Place() }

  /// What another process does, for whom the kernel has watches.
  private func elsewhere() -> Store {
    StorageProcess(on: SystemFileSystem(), isAutomatic: false).store(at: place.paths)
  }

  // O-6, S-8
  @Test(arguments: -1...12)
  func `who can't listen looks every tenth of a second, and sleeps again once it can`(
    watches: Int
  ) throws {
    let disk = LimitedDisk(watches: watches)
    let mine = StorageProcess(on: disk, isAutomatic: false).store(at: place.paths)
    let theirs = elsewhere()
    let told = Delivery()
    let watch = mine.watch { told.take($0) }
    for number in Int64(1)...2 {
      try theirs.set(.integer(number), forKey: "set")
      #expect(told.hears(Change(key: "set", value: .integer(number))), "\(watches)")
      #expect(theirs.flush())
      try place.exchange(place.plist, try foreignList(["edited": number, "set": number]))
      #expect(told.hears(Change(key: "edited", value: .integer(number))), "\(watches)")
    }
    disk.lift()
    #expect(eventually { disk.waits.last == .some(nil) }, "\(watches)")
    try theirs.set(.integer(3), forKey: "set")
    #expect(told.hears(Change(key: "set", value: .integer(3))), "\(watches)")
    try place.exchange(place.plist, try foreignList(["edited": 3]))
    #expect(told.hears(Change(key: "edited", value: .integer(3))), "\(watches)")
    #expect(eventually { disk.waits.last == .some(nil) }, "\(watches)")
    watch.cancel()
  }

  // O-6
  @Test(arguments: -1...4)
  func `a directory that the kernel does not tell of is found when it is made`(
    watches: Int
  ) throws {
    let disk = LimitedDisk(watches: watches)
    let directories = DirectoryWatch(in: StorageProcess(on: disk, isAutomatic: false))
    let isTold = DispatchSemaphore(value: 0)
    directories.watch([home.path + "/one", home.path + "/two"].map(DirectoryPath.init))
    directories.setListener { isTold.signal() }
    mkdir(home.path + "/two", 0o700)
    #expect(isTold.wait(timeout: .now() + 600) == .success, "\(watches)")
    directories.setListener(nil)
  }

  // S-8
  @Test(arguments: -1...9)
  func `who only reads and sets sees edits of which the kernel does not tell`(watches: Int) throws {
    let disk = LimitedDisk(watches: watches)
    let mine = StorageProcess(on: disk, isAutomatic: false).store(at: place.paths)
    for number in Int64(1)...3 {
      try mine.set(.integer(number), forKey: "set")
      #expect(mine.flush())
      try place.exchange(place.plist, try foreignList(["edited": number]))
      if number == 2 { try mine.set(.integer(7), forKey: "later") }
      #expect(eventually { mine.integer(forKey: "edited") == number }, "\(watches)")
      #expect(mine.integer(forKey: "set") == nil)
    }
  }

  // O-6
  @Test func `that watches are used up is said once, with the setting that mends it`() throws {
    let disk = LimitedDisk(watches: 0)
    let lines = Guarded<[String]>([])
    let watcher = Watcher(on: disk) { line in lines.withLock { $0.append(line) } }
    let store = StorageProcess(on: disk, isAutomatic: false).store(at: place.paths)
    let others = DirectoryWatch()
    others.watch([DirectoryPath(home.path + "/other")])
    watcher.add(store)
    watcher.add(others)
    #expect(eventually { disk.waits.count > 4 })
    watcher.remove(store)
    watcher.remove(others)
    #expect(eventually { !watcher.hasThread })
    let said = lines.withLock { $0 }
    #expect(said.count == 1 && said[0].hasSuffix("raise fs.inotify.max_user_watches"), "\(said)")
  }

  // S-13
  @Test func `the thread ends with the last watch, also when no more watches can be had`() throws {
    let disk = LimitedDisk()
    let mine = StorageProcess(on: disk, isAutomatic: false).store(at: place.paths)
    let watch = mine.watch { _ in }
    #expect(eventually { disk.waits.last == .some(nil) })
    disk.giveNoMore()
    watch.cancel()
    #expect(eventually { !mine.process.watcher.hasThread })
  }

  private func eventually(_ condition: () -> Bool) -> Bool {
    let deadline = strataDeadline(seconds: 60)
    while !condition() {
      if deadline.hasPassed { return false }
      poll(nil, 0, 1)
    }
    return true
  }
}
