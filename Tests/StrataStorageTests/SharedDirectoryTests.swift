import Glibc
import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Domains in a file system that other machines may share.
@Suite struct SharedDirectoryTests {
  private static let paths = CrashScript.paths

  // S-19
  @Test func `what processes share lies on this machine, and the property list where it was`()
    throws
  {
    let machine = FaultMachine(.shared)
    let store = machine.process().store(at: Self.paths)
    try store.set(.integer(1), forKey: "a")
    #expect(machine.process().store(at: Self.paths).integer(forKey: "a") == 1)
    #expect(store.flush())
    let own = machine.names.keys.filter { !FaultMachine.isCommon($0) }
    #expect(own == [Self.paths.plist])
    let hidden = "/var/tmp/strata-0" + Self.paths.directory + "/.strata"
    #expect(store.paths.hidden == hidden)
    #expect(Set(machine.names.keys.map(Path.directory)) == [Self.paths.directory, hidden])
  }

  // S-19, S-4
  @Test(arguments: [FaultMachine.Kind.shared, .sharedInMemory])
  func `what is synchronized is in the property list, which all other machines know is`(
    kind: FaultMachine.Kind
  ) throws {
    let machine = FaultMachine(kind)
    let store = machine.process().store(at: Self.paths)
    for number in Int64(1)...3 {
      try store.set(.integer(number), forKey: "a")
      #expect(store.synchronize())
      let bytes = try #require(machine.names[Self.paths.plist]).durable
      #expect(try PropertyList.decode(bytes).value == .dictionary(["a": .integer(number)]))
    }
  }

  // S-19, S-4
  @Test func `what a process suddenly may not write any more is not said to be synchronized`()
    throws
  {
    let machine = FaultMachine(.sharedInMemory)
    machine.compactionSizeMin = 0
    let store = machine.process().store(at: Self.paths)
    let other = machine.process().store(at: Self.paths)
    for number in Int64(1)...9 { try other.set(.integer(number), forKey: "a") }
    try store.set(.integer(1), forKey: "b")
    var attempts = 0
    // Another journal takes the name just before the checkpoint, and can't be opened for writing.
    machine.beforeLook = { [unowned machine] call in
      guard call == .lock else { return }
      machine.beforeLook = nil
      other.compact()
      machine.writingError = { path, _ in
        guard path.hasSuffix(".journal") else { return nil }
        attempts += 1
        return EACCES
      }
    }
    #expect(!store.synchronize())
    #expect(machine.beforeLook == nil && attempts > 0)
    #expect(machine.names[Self.paths.plist] == nil)
    #expect(store.issues.contains { $0.kind == .notStored })
    // Neither does who tries again, until writing is allowed.
    #expect(!store.synchronize())
    machine.writingError = nil
    #expect(store.synchronize())
    let bytes = try #require(machine.names[Self.paths.plist]).durable
    #expect(
      try PropertyList.decode(bytes).value == .dictionary(["a": .integer(9), "b": .integer(1)]))
  }

  // S-19, S-8
  @Test func `what another machine writes is an edit, though the kernel tells nothing`() throws {
    let machine = FaultMachine(.shared)
    let store = machine.process().store(at: Self.paths)
    try store.set(.integer(1), forKey: "a")
    #expect(store.flush())
    machine.edit(Self.paths.plist, try foreignList(["a": 2, "b": 2]), isElsewhere: true)
    // A set looks first; a read in a while.
    try store.set(.integer(3), forKey: "b")
    #expect(store.snapshot().values == ["a": .integer(2), "b": .integer(3)])
    #expect(store.flush())
    machine.edit(Self.paths.plist, try foreignList(["a": 4]), isElsewhere: true)
    #expect(holds(within: 600) { store.integer(forKey: "a") == 4 })
    #expect(store.integer(forKey: "b") == nil)
  }

  // S-19, S-8, O-1
  @Test func `a directory of which the kernel does not tell all is looked at by who watches`() {
    #expect(!FileSystemKind.local.isShared && !FileSystemKind.memory.isShared)
    let machine = FaultMachine(.shared)
    let feed = Feed(on: machine.process().disk)
    machine.makeParents(of: Self.paths.plist)
    #expect(!feed.subscribe(ChangeHint(), to: nil, in: Self.paths.directory))
    #expect(feed.subscribe(ChangeHint(), to: nil, in: "/var/tmp"))
  }

  // S-19, S-10
  @Test func `where nothing on this machine can be shared what is set lives in memory`() throws {
    let machine = FaultMachine(.shared)
    machine.directories.remove("/var/tmp")
    let store = machine.process().store(at: Self.paths)
    try store.set(.integer(1), forKey: "a")
    #expect(store.integer(forKey: "a") == 1)
    #expect(!store.synchronize())
    let issue = try #require(store.issues.first { $0.kind == .notStored })
    #expect(issue.text.contains("of type nfs") && issue.text.contains("/var/tmp/strata-0"))
    #expect(machine.names.isEmpty, "nothing is put where other machines would share it")
  }

  // S-19
  @Test func `a draft that a dead process left there is found by a check`() throws {
    let machine = FaultMachine(.shared)
    let store = machine.process().store(at: Self.paths)
    try store.set(.integer(1), forKey: "a")
    var left: FaultMachine?
    machine.beforeCall = { [unowned machine] _, call in
      if call == "rename \(Self.paths.plist)" { left = machine.afterDeath() }
    }
    #expect(store.flush())
    machine.beforeCall = nil
    let disk = FaultDisk(on: try #require(left), process: 0)
    let findings = StoreCheck(Self.paths, on: disk).findings
    #expect(findings.contains { $0.severity == .unfinished && $0.path.hasSuffix(".new") })
  }

  // -- Places on a real disk

  private func mode(_ path: String) -> (owner: UInt32, mode: UInt32)? {
    var raw = stat()
    return lstat(path, &raw) == 0 ? (raw.st_uid, raw.st_mode & 0o7777) : nil
  }

  private func place(_ path: String, of owner: UInt32 = geteuid()) -> MachinePlace {
    MachinePlace(path: path, owner: owner, isInMemory: false, kind: "nfs")
  }

  // S-19, S-22
  @Test func `a place is made once, for its owner, and one that is not is no place`() throws {
    let around = try Place()
    let disk = SystemFileSystem()
    let strata = place(around.directory + "/strata")
    #expect(try disk.standing(of: strata, making: false) == .missing)
    #expect(try around.names() == [])
    #expect(try disk.standing(of: strata, making: true) == .sound)
    #expect(try #require(mode(strata.path)) == (strata.owner, 0o711))
    #expect(try disk.standing(of: strata, making: true) == .sound)
    chmod(strata.path, 0o777)
    #expect(try disk.standing(of: strata, making: true) == .unsound, "others may write to it")
    chmod(strata.path, 0o711)
    symlink(strata.path, around.directory + "/link")
    let link = place(around.directory + "/link")
    #expect(try disk.standing(of: link, making: true) == .unsound)
    #expect(try around.names().sorted() == ["link", "strata"])
    #expect(throws: StorageError.self) {
      try disk.standing(of: place(around.directory + "/none/strata"), making: true)
    }
  }

  // S-19, S-22
  @Test(.enabled(if: geteuid() == 0, "only root can make places for others"))
  func `root makes a place for its owner, and uses none that is somebody else's`() throws {
    let around = try Place()
    let disk = SystemFileSystem()
    let other = around.directory + "/other"
    #expect(try disk.standing(of: place(other, of: 65_534), making: true) == .sound)
    #expect(try #require(mode(other)) == (65_534, 0o711))
    #expect(try disk.standing(of: place(other), making: true) == .unsound)
  }

  // S-19, S-22, S-10
  @Test func `a place that somebody exchanges while programs run is used no more`() throws {
    let (home, common) = (try Place(), try Place())
    let disk = LimitedDisk(common: common.directory)
    let store = StorageProcess(on: disk, isAutomatic: false).store(at: home.paths)
    try store.set(.integer(1), forKey: "a")
    let own = try #require(store.paths.machinePlace?.path)
    #expect(try run("rm", "-rf", own) != nil)
    mkdir(own, 0o777)
    chmod(own, 0o777)
    try store.set(.integer(2), forKey: "a")
    #expect(!store.synchronize())
    #expect(store.integer(forKey: "a") == 2)
    #expect(try home.names(in: own) == [], "nothing goes where others may write")
    #expect(store.issues.contains { $0.text.contains("\(own) is not a directory of user") })
    rmdir(own)
    #expect(store.synchronize())
    #expect(try home.plistValues() == ["a": .integer(2)])
    #expect(store.issues.allSatisfy { $0.kind == .damaged }, "the journal was taken away")
  }

  // S-4, S-9, S-19
  @Test func `what is synchronized is in a list that replaces a damaged one, too`() throws {
    let (home, common) = (try Place(), try Place())
    let store = StorageProcess(on: LimitedDisk(common: common.directory), isAutomatic: false)
      .store(at: home.paths)
    try home.overwrite(home.plist, Array("no property list".utf8))
    try store.set(.integer(2), forKey: "a")
    #expect(store.synchronize())
    #expect(try home.plistValues() == ["a": .integer(2)])
  }

  // S-19, S-12
  @Test func `what is pending in a group's directory is for its user only`() throws {
    let (home, common) = (try Place(), try Place())
    chown(home.directory, geteuid(), 1234)
    chmod(home.directory, 0o2770)
    let disk = LimitedDisk(common: common.directory)
    let store = StorageProcess(on: disk, isAutomatic: false).store(at: home.paths)
    try store.set(.integer(1), forKey: "a")
    #expect(try #require(mode(store.paths.journal)).mode == 0o600)
    #expect(try #require(mode(store.paths.hidden)).mode == 0o700)
  }

  // S-19, S-7
  @Test func `of two machines neither writes into what the other one is about to name`() throws {
    let home = try Place()
    let common = [try Place(), try Place()]
    let stores = common.map {
      StorageProcess(on: LimitedDisk(common: $0.directory), isAutomatic: false)
        .store(at: home.paths)
    }
    let (isEnough, left) = (Gate(), Gate())
    let isStarted = Thread.start {
      var number = 0
      while number < 100 || !isEnough.isOpen {
        _ = Self.checkpoint(stores[0], number)
        number += 1
      }
      left.open()
    }
    try #require(isStarted)
    var number = 0
    defer { isEnough.open() }
    while !left.isOpen {
      number += 1
      if number == 20 { isEnough.open() }
      try #require(Self.checkpoint(stores[1], number))
      let file = PlistFile(path: home.plist, disk: SystemFileSystem()).read()
      try #require(file.isSound, "\(file.content)")
    }
    #expect(number >= 20)
    #expect(stores.flatMap(\.issues).isEmpty)
    withExtendedLifetime(common) {}
  }

  /// Writes a property list that takes a while.
  private static func checkpoint(_ store: Store, _ number: Int) -> Bool {
    let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 300_000)
    do { try store.set(.data(value), forKey: "key") } catch { return false }
    return store.checkpoint() != .failed
  }

  // S-19
  @Test func `two ways to one directory have one place`() throws {
    let place = try Place()
    mkdir(place.directory + "/real", 0o700)
    symlink("real", place.directory + "/link")
    let disk = SystemFileSystem()
    let real = disk.realPath(of: place.directory + "/real/not/there")
    #expect(real.hasSuffix("/real/not/there"))
    #expect(disk.realPath(of: place.directory + "/link/not/there") == real)
    #expect(disk.realPath(of: "/") == "/")
    #expect(disk.kind(of: place.directory + "/not/there") == disk.kind(of: place.directory))
  }
}
