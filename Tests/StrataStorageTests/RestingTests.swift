import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// What domains take of the system while nothing happens to them.
// One after the other: a thread that reads for long keeps the files of other domains open.
@Suite(.serialized) struct RestingTests {
  private func paths(_ number: Int, in place: Place) -> StorePaths {
    StorePaths(identifier: "com.example.domain\(number)", in: place.directory)
  }

  /// How many files below a directory this process has open.
  private func openFiles(below directory: String) throws -> Int {
    try SystemFileSystem().names(in: "/proc/self/fd").count { name in
      SystemFileSystem.linkTarget(of: "/proc/self/fd/" + name)?.hasPrefix(directory) == true
    }
  }

  /// Where a thread of this test or another one reads at a moment, a journal is closed later.
  private func expect(
    atMost limit: Int, openBelow directory: String, _ comment: Comment = ""
  ) throws {
    let areFew = try holds(within: 600) {
      RetiredObjects.sweep()
      return try openFiles(below: directory) <= limit
    }
    let count = try openFiles(below: directory)
    #expect(areFew, "\(count) are open; \(comment)")
  }

  // S-26
  @Test func `a domain at rest takes one descriptor, and 8 KiB beside its property list`() throws {
    let place = try Place()
    let process = StorageProcess(on: SystemFileSystem(), isAutomatic: false)
    let stores = (0..<20).map { process.store(at: paths($0, in: place)) }
    for round in Int64(1)...3 {
      for store in stores {
        try store.set(.integer(round), forKey: "key")
        #expect(store.flush())
      }
    }
    try expect(atMost: stores.count + 1, openBelow: place.directory)
    for store in stores {
      var status = stat()
      #expect(lstat(store.paths.journal, &status) == 0 && status.st_blocks * 512 <= 8_192)
    }
  }

  // S-26
  @Test func `a thread that stops within a read keeps no journal open for longer than that`()
    throws
  {
    let place = try Place()
    let process = StorageProcess(on: SystemFileSystem(), isAutomatic: false)
    let stores = (0..<20).map { process.store(at: paths($0, in: place)) }
    for store in stores { try store.set(.integer(0), forKey: "key") }
    let (entered, mayLeave) = (Gate(), Gate())
    let isStarted = Thread.start {
      Readers.reading {
        entered.open()
        mayLeave.wait()
      }
    }
    try #require(isStarted)
    entered.wait()
    for store in stores { #expect(store.flush()) }
    mayLeave.open()
    try expect(atMost: stores.count + 1, openBelow: place.directory)
  }

  // S-1, S-2, S-26
  @Test(arguments: 0..<20)
  func `more domains than may be open are read and written as if all were`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let place = try Place()
    let processes = (0..<2).map { _ in
      StorageProcess(on: LimitedDisk(openStores: 3), isAutomatic: false)
    }
    let stores = processes.map { process in
      (0..<12).map { process.store(at: paths($0, in: place)) }
    }
    var model = [[String: PropertyListValue]](repeating: [:], count: 12)
    for step in 0..<600 {
      let number = Int.random(in: 0..<12, using: &random)
      let store = stores[Int.random(in: 0..<2, using: &random)][number]
      let key = "key\(Int.random(in: 0..<4, using: &random))"
      // As if time had passed: the files are looked at again.
      if Bool.random(using: &random) { store.table.checkAt = 0 }
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        let value = PropertyListValue.integer(Int64(step))
        try store.set(value, forKey: key)
        model[number][key] = value
      case 4:
        try store.apply(ChangeSet([Change(key: key, value: .boolean(true))], replacesAll: true))
        model[number] = [key: .boolean(true)]
      case 5: #expect(store.flush(), "seed \(seed), step \(step)")
      case 6: #expect(store.synchronize(), "seed \(seed), step \(step)")
      case 7: #expect(store.snapshot().values == model[number], "seed \(seed), step \(step)")
      default: #expect(store.value(forKey: key) == model[number][key], "seed \(seed), step \(step)")
      }
    }
    try expect(atMost: 2 * (3 + 1) + 4, openBelow: place.directory, "seed \(seed)")
    withExtendedLifetime(stores) { for process in processes { process.flushAll() } }
    for number in 0..<12 {
      let alone = PlistFile(path: paths(number, in: place).plist, disk: SystemFileSystem()).read()
      #expect(alone.values == model[number], "seed \(seed), domain \(number)")
      #expect(StoreCheck(paths(number, in: place)).findings.isEmpty)
    }
  }

  // S-26
  @Test func `room that could not be made for a domain is made with the next one`() throws {
    let place = try Place()
    let process = StorageProcess(on: LimitedDisk(openStores: 10), isAutomatic: false)
    let stores = (0..<40).map { process.store(at: paths($0, in: place)) }
    for store in stores.prefix(10) { try store.set(.integer(1), forKey: "key") }
    // Another thread is at work in all of them.
    let (areLocked, mayLeave, areFree) = (Gate(), Gate(), Gate())
    let isStarted = Thread.start {
      for store in stores.prefix(10) { store.lock.lock() }
      areLocked.open()
      mayLeave.wait()
      for store in stores.prefix(10) { store.lock.unlock() }
      areFree.open()
    }
    try #require(isStarted)
    areLocked.wait()
    for store in stores[10..<18] { try store.set(.integer(1), forKey: "key") }
    mayLeave.open()
    areFree.wait()
    for store in stores[18...] { try store.set(.integer(1), forKey: "key") }
    try expect(atMost: 10 + 1, openBelow: place.directory)
  }

  // S-26, S-10
  @Test func `domains whose property lists can't be opened give their files back, too`() throws {
    let place = try Place()
    let disk = LimitedDisk(openStores: 3)
    let process = StorageProcess(on: disk, isAutomatic: false)
    let stores = (0..<12).map { process.store(at: paths($0, in: place)) }
    for store in stores {
      try store.set(.integer(1), forKey: "key")
      #expect(store.flush())
    }
    for store in stores { disk.refuse(store.paths.plist, EMFILE) }
    for store in stores { try store.set(.integer(2), forKey: "other") }
    try expect(atMost: 3 + 1, openBelow: place.directory)
    for store in stores { disk.refuse(store.paths.plist, nil) }
    for store in stores {
      #expect(store.flush())
      #expect(store.snapshot().values == ["key": .integer(1), "other": .integer(2)])
      #expect(store.issues.isEmpty)
    }
  }

  // S-7, S-26, S-10
  @Test func `a flush that finds no file to open has other domains give back theirs`() throws {
    let place = try Place()
    let disk = LimitedDisk(openStores: 100)
    let process = StorageProcess(on: disk, isAutomatic: false)
    let stores = (0..<20).map { process.store(at: paths($0, in: place)) }
    for store in stores { try store.set(.integer(1), forKey: "key") }
    for store in stores.prefix(5) { #expect(store.rest()) }
    disk.openFilesMax = 12
    // What others give back stays open while another test's thread is in the midst of a read.
    for store in stores { #expect(holds(within: 600) { store.flush() }) }
    for store in stores {
      let plist = PlistFile(path: store.paths.plist, disk: SystemFileSystem()).read()
      #expect(plist.values == ["key": .integer(1)])
    }
  }

  // S-4, S-7, S-26
  @Test func `what is pending counts as pending while no file can be opened`() throws {
    let place = try Place()
    let disk = LimitedDisk(openStores: 100)
    let process = StorageProcess(on: disk, isAutomatic: false)
    let stores = (0..<2).map { process.store(at: paths($0, in: place)) }
    for store in stores { try store.set(.integer(1), forKey: "key") }
    #expect(stores[0].rest())
    disk.openFilesMax = 0
    #expect(stores[0].snapshot().values.isEmpty)
    #expect(stores[0].mayHavePending && !Layer.file(stores[0]).synchronizePending())
    disk.openFilesMax = 100
    #expect(Layer.file(stores[0]).synchronizePending())
    #expect(stores[0].snapshot().values == ["key": .integer(1)])
  }

  // S-7, S-26
  @Test func `what is pending in a domain that had to make room is in its property list soon`()
    throws
  {
    let place = try Place()
    let process = StorageProcess(on: LimitedDisk(openStores: 2), isAutomatic: true)
    let stores = (0..<8).map { process.store(at: paths($0, in: place)) }
    for (number, store) in stores.enumerated() {
      try store.set(.integer(Int64(number)), forKey: "key")
    }
    for number in 0..<8 {
      let plist = PlistFile(path: paths(number, in: place).plist, disk: SystemFileSystem())
      let isStored = holds(within: 600) {
        plist.read().values == ["key": .integer(Int64(number))]
      }
      #expect(isStored, "domain \(number)")
    }
  }

  // S-7, S-26
  @Test func `what is set without a pause is in the list soon, however often others need the room`()
    throws
  {
    let place = try Place()
    let store = StorageProcess(on: LimitedDisk(openStores: 2), isAutomatic: false).store(
      at: paths(0, in: place))
    for second in Int64(0)...10 {
      try store.set(.integer(second), forKey: "key")
      #expect(store.tick(now: second * 1_000_000_000))
      #expect(store.rest())
    }
    let list = PlistFile(path: store.paths.plist, disk: SystemFileSystem()).read()
    #expect(list.values["key"] != nil)
  }

  // O-1, S-26
  @Test func `a domain that is watched keeps being watched while others make room`() throws {
    let place = try Place()
    let process = StorageProcess(on: LimitedDisk(openStores: 2), isAutomatic: true)
    let watched = process.store(at: paths(0, in: place))
    let told = Delivery()
    let watch = watched.watch { told.take($0) }
    defer { watch.cancel() }
    for number in 1..<8 {
      let store = process.store(at: paths(number, in: place))
      try store.set(.integer(1), forKey: "key")
    }
    let other = StorageProcess(on: SystemFileSystem(), isAutomatic: false)
    try other.store(at: paths(0, in: place)).set(.integer(7), forKey: "key")
    #expect(told.hears(Change(key: "key", value: .integer(7))))
  }
}
