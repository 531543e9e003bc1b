import Dispatch
import Glibc
import StrataPropertyList
import Synchronization
import Testing

@testable import StrataStorage

/// Directories that are taken away under a program, and come again.
@Suite struct LostDirectoryWatchConcurrencyTests {
  /// How a directory can be lost.
  enum Loss: CaseIterable, Sendable {
    case removed, moved, movedFromAbove, hiddenRemoved, linkBent

    /// One step: files that are removed one after the other may be made again in between, and what
    /// is set in those lost with them.
    var isAtomic: Bool { self != .removed && self != .hiddenRemoved }
  }

  private let home = TemporaryDirectory()
  private var paths: StorePaths {
    StorePaths(identifier: "com.example.lost", in: home.path + "/config/defaults")
  }

  private func process() -> StorageProcess {
    StorageProcess(on: SystemFileSystem(), isAutomatic: false)
  }

  private func lose(_ loss: Loss, _ round: Int) throws {
    let config = home.path + "/config"
    switch loss {
    // What a process makes anew while it is being removed may stay: it is new.
    case .removed: _ = try run("rm", "-rf", paths.directory)
    case .hiddenRemoved: _ = try run("rm", "-rf", paths.hidden)
    case .moved: #expect(rename(paths.directory, home.path + "/old\(round)") == 0)
    case .movedFromAbove: #expect(rename(config, home.path + "/old\(round)") == 0)
    case .linkBent:
      mkdir(home.path + "/target\(round)", 0o700)
      #expect(symlink(home.path + "/target\(round)", config + ".new") == 0)
      #expect(rename(config + ".new", config) == 0)
    }
  }

  private func prepare(_ loss: Loss) {
    guard loss == .linkBent else { return }
    mkdir(home.path + "/target", 0o700)
    symlink(home.path + "/target", home.path + "/config")
  }

  /// - Returns: the number that was heard of.
  @discardableResult
  private func setUntilHeard(
    _ store: Store, _ told: Delivery, _ loss: Loss, _ round: Int
  ) throws -> Int64? {
    let numbers = (0..<(loss.isAtomic ? 1 : 30)).map { Int64(round * 100 + $0) }
    let heard = try numbers.first { number in
      try store.set(.integer(number), forKey: "a")
      return told.hears(
        Change(key: "a", value: .integer(number)), within: loss.isAtomic ? 60 : 2)
    }
    #expect(heard != nil, "\(loss), round \(round)")
    return heard
  }

  // S-8, O-6
  @Test(arguments: Loss.allCases, [false, true])
  func `what others set in the new one is told`(loss: Loss, hasJournal: Bool) throws {
    prepare(loss)
    let mine = process().store(at: paths)
    if hasJournal {
      try mine.set(.integer(0), forKey: "before")
      #expect(mine.flush())
    }
    let told = Delivery()
    let watch = mine.watch { told.take($0) }
    for round in 1...3 {
      try lose(loss, round)
      let theirs = process().store(at: paths)
      let heard = try setUntilHeard(theirs, told, loss, round)
      #expect(mine.integer(forKey: "a") == heard, "\(loss), round \(round)")
      try mine.set(.integer(Int64(round)), forKey: "b")
      #expect(theirs.integer(forKey: "b") == Int64(round), "\(loss), round \(round)")
    }
    watch.cancel()
  }

  // S-8, O-6
  @Test(arguments: Loss.allCases)
  func `what others set is told who used the domain before, too`(loss: Loss) throws {
    prepare(loss)
    let (mine, theirs) = (process().store(at: paths), process().store(at: paths))
    let told = Delivery()
    let watch = mine.watch { told.take($0) }
    try theirs.set(.integer(0), forKey: "a")
    #expect(theirs.flush() && told.hears(Change(key: "a", value: .integer(0)), within: 60))
    for round in 1...3 {
      try lose(loss, round)
      try setUntilHeard(theirs, told, loss, round)
    }
    watch.cancel()
  }

  // S-2, S-8
  @Test(arguments: Loss.allCases, [false, true])
  func `what others set in the new one is read`(loss: Loss, hasJournal: Bool) throws {
    prepare(loss)
    let mine = process().store(at: paths)
    if hasJournal { try mine.set(.integer(0), forKey: "before") }
    for _ in 0..<2 { _ = mine.snapshot() }  // the second one makes the directory
    for round in 1...3 {
      try lose(loss, round)
      let theirs = process().store(at: paths)
      try theirs.set(.integer(Int64(round)), forKey: "a")
      mine.lookForEdits()
      #expect(mine.integer(forKey: "a") == Int64(round), "\(loss), round \(round)")
      try mine.set(.integer(Int64(round)), forKey: "b")
      #expect(theirs.integer(forKey: "b") == Int64(round), "\(loss), round \(round)")
    }
  }

  // S-1, S-10
  @Test func `a set that is under way when its journal loses its name is in the next one`() throws {
    let (mine, theirs) = (process().store(at: paths), process().store(at: paths))
    try mine.set(.integer(1), forKey: "a")
    #expect(theirs.integer(forKey: "a") == 1)
    let isDone = DispatchSemaphore(value: 0)
    let hidden = paths.hidden
    try theirs.set(.integer(1), forKey: "b")
    let lost = try #require(theirs.journal)
    theirs.step = { step in
      guard step == .sealed else { return }
      #expect(rename(hidden, hidden + "-lost") == 0)
      DispatchQueue.global().async {
        do { try mine.set(.integer(1), forKey: "c") } catch { Issue.record(error) }
        isDone.signal()
      }
      // Until the other one waits for the record that is written here, or has gone on without it.
      while !lost.state.hasWaiters, isDone.wait(timeout: .now()) == .timedOut { sched_yield() }
    }
    try theirs.set(.integer(2), forKey: "a")
    theirs.step = nil
    for store in [mine, theirs, process().store(at: paths)] {
      for (key, value) in [("a", Int64(2)), ("b", 1), ("c", 1)] {
        #expect(store.integer(forKey: key) == value, "\(key)")
      }
    }
    #expect(lost.state.isRetired)
  }

  // S-8
  @Test func `a file in a directory that was made empty is read`() throws {
    let paths = StorePaths(
      identifier: "com.example.lost", in: home.path + "/config/defaults", for: .everyone)
    let mine = process().store(at: paths)
    for step in ["", "/config", "/config/defaults"] {
      if !step.isEmpty { mkdir(home.path + step, 0o700) }
      mine.lookForEdits()
      #expect(mine.integer(forKey: "a") == nil)
    }
    let place = try Place()
    try place.exchange(paths.plist, try foreignList(["a": 1]))
    mine.lookForEdits()
    #expect(mine.integer(forKey: "a") == 1)
  }

  // S-1, S-3
  @Test func `what is known survives two losses in quick succession`() throws {
    let (mine, theirs) = (process().store(at: paths), process().store(at: paths))
    for number in 0..<100 { try mine.set(.integer(1), forKey: "key\(number)") }
    try theirs.set(.integer(1), forKey: "b")
    for round in 1...2 {
      #expect(rename(paths.hidden, home.path + "/old\(round)") == 0)
      if round == 1 { #expect(mine.integer(forKey: "b") == 1) }
    }
    try theirs.set(.integer(2), forKey: "b")
    #expect(theirs.flush())
    for store in [mine, theirs, process().store(at: paths)] {
      store.lookForEdits()
      #expect(store.snapshot().values.count == 101)
    }
  }

  // S-8, O-6
  @Test(arguments: [false, true])
  func `an edit of what a file leads to that became a link is told`(hasJournal: Bool) throws {
    let (place, target) = (try Place(), try Place())
    try place.exchange(place.plist, try foreignList(["a": 0]))
    let mine = process().store(at: place.paths)
    if hasJournal { try mine.set(.integer(0), forKey: "b") }
    let told = Delivery()
    let watch = mine.watch { told.take($0) }
    symlink(target.plist, place.plist + ".link")
    for number in Int64(1)...3 {
      try target.exchange(target.plist, try foreignList(["a": number]))
      if number == 1 { #expect(rename(place.plist + ".link", place.plist) == 0) }
      #expect(told.hears(Change(key: "a", value: .integer(number))), "\(number)")
      mine.lookForEdits()
      #expect(mine.integer(forKey: "a") == number)
    }
    watch.cancel()
  }

  // O-9
  @Test func `a file in a directory's place is no loss`() throws {
    mkdir(home.path + "/config", 0o700)
    let file = home.path + "/config/defaults"
    #expect(creat(file, 0o600) >= 0)
    let feed = Feed(on: SystemFileSystem())
    let hint = ChangeHint()
    #expect(feed.subscribe(hint, to: nil, in: paths.directory))
    #expect(feed.subscribe(hint, to: nil, in: paths.hidden, isHeld: true))
    #expect(!feed.isStale && !hint.take())
    unlink(file)
    feed.drain()
    #expect(feed.isStale && hint.take())
  }

  // S-8
  @Test(arguments: [false, true])
  func `what a person takes away is not made again by whoever reads or watches`(
    watches: Bool
  ) throws {
    let mine = process().store(at: paths)
    try mine.set(.integer(1), forKey: "a")
    #expect(mine.flush())
    let told = Delivery()
    let watch = watches ? mine.watch { told.take($0) } : nil
    #expect(rename(home.path + "/config", home.path + "/old") == 0)
    if watches {
      #expect(told.hears(Change(key: "a", value: nil)))
    } else {
      for _ in 0..<2 {
        mine.lookForEdits()
        _ = mine.integer(forKey: "a")
      }
    }
    #expect(try SystemFileSystem().status(of: home.path + "/config") == nil)
    watch?.cancel()
  }

  // O-5, O-6
  @Test func `who waits for a directory hears nothing of those that others lose or get`() {
    let (one, other) = (DirectoryWatch(), DirectoryWatch())
    let toldOne = Atomic<Int>(0)
    let isTold = DispatchSemaphore(value: 0)
    one.watch([DirectoryPath(home.path + "/one")])
    one.setListener { toldOne.add(1, ordering: .relaxed) }
    other.watch([DirectoryPath(home.path + "/other")])
    other.setListener { isTold.signal() }
    mkdir(home.path + "/other", 0o700)
    // The watcher looks at both, in this order.
    #expect(isTold.wait(timeout: .now() + 600) == .success)
    #expect(toldOne.load(ordering: .relaxed) == 0)
    one.setListener(nil)
    other.setListener(nil)
  }

  // D-1, O-6
  @Test(arguments: [false, true])
  func `a directory that is made before it is waited for is found`(isTold: Bool) {
    let path = home.path + "/one"
    let mayMake = Atomic<Bool>(!isTold)
    let disk = LimitedDisk { watched, _ in
      if watched == path, mayMake.load(ordering: .acquiring) { mkdir(path, 0o700) }
    }
    let directories = DirectoryWatch(in: StorageProcess(on: disk, isAutomatic: false))
    directories.watch([DirectoryPath(path)])
    guard isTold else {
      #expect(directories.hasNews)
      return
    }
    let told = DispatchSemaphore(value: 0)
    mayMake.store(true, ordering: .releasing)
    directories.setListener { told.signal() }
    #expect(told.wait(timeout: .now() + 600) == .success)
    directories.setListener(nil)
  }

  // S-8
  @Test func `an edit of what a link leads to is told`() throws {
    let target = try Place()
    try target.exchange(target.plist, try foreignList(["a": 1]))
    mkdir(home.path + "/config", 0o700)
    mkdir(paths.directory, 0o700)
    symlink(target.plist, paths.plist)
    let mine = process().store(at: paths)
    let told = Delivery()
    let watch = mine.watch { told.take($0) }
    for number in Int64(2)...3 {
      try target.exchange(target.plist, try foreignList(["a": number]))
      #expect(told.hears(Change(key: "a", value: .integer(number))))
    }
    watch.cancel()
  }

  // O-9
  @Test func `what happens beside the way to a directory wakes nobody`() throws {
    mkdir(home.path + "/config", 0o700)
    mkdir(paths.directory, 0o700)
    let feed = Feed(on: SystemFileSystem())
    let hint = ChangeHint()
    #expect(feed.subscribe(hint, to: [paths.name], in: paths.directory))
    for directory in [home.path, home.path + "/config"] { mkdir(directory + "/beside", 0o700) }
    #expect(!feed.hasEvents)
    #expect(rename(home.path + "/config", home.path + "/elsewhere") == 0)
    feed.drain()
    #expect(hint.take() && feed.isStale)
  }

  // O-6
  @Test func `a directory that is missing is told of when it is made, at every step`() throws {
    let hint = ChangeHint()
    var feed = Feed(on: SystemFileSystem())
    for step in ["/config", "/config/defaults", "/config/defaults/.strata"] {
      #expect(feed.subscribe(hint, to: nil, in: paths.hidden, isHeld: true))
      #expect(!hint.take() && !feed.isStale)
      mkdir(home.path + step, 0o700)
      feed.drain()
      #expect(hint.take() && feed.isStale, "\(step)")
      feed = Feed(on: SystemFileSystem(), insteadOf: feed)
    }
    #expect(feed.subscribe(hint, to: nil, in: paths.hidden, isHeld: true))
    #expect(!hint.take() && !feed.isStale)
  }

  // O-6
  @Test func `who follows a feed that is lost meanwhile is told`() throws {
    mkdir(home.path + "/config", 0o700)
    let feed = Feed(on: SystemFileSystem())
    let (one, other) = (ChangeHint(), ChangeHint())
    #expect(feed.subscribe(one, to: nil, in: home.path + "/config"))
    rmdir(home.path + "/config")
    feed.drain()
    #expect(one.take())
    #expect(feed.subscribe(other, to: nil, in: home.path))
    #expect(other.take())
    let start = ContinuousClock.now
    #expect(feed.wait(atMost: 60_000_000_000) && ContinuousClock.now - start < .seconds(30))
  }

  // O-6
  @Test func `links in a circle are followed by nobody`() throws {
    symlink(home.path + "/two", home.path + "/one")
    symlink(home.path + "/one", home.path + "/two")
    let feed = Feed(on: SystemFileSystem())
    #expect(!feed.subscribe(ChangeHint(), to: nil, in: home.path + "/one/defaults"))
    #expect(!feed.subscribe(ChangeHint(), toTargetOf: home.path + "/one"))
  }
}
