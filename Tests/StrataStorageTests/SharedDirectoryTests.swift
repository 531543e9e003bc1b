import Glibc
import StrataPropertyList
import Testing

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
    let feed = machine.process().feed
    machine.makeParents(of: Self.paths.plist)
    #expect(!feed.follow(Suspicion(), to: nil, in: Self.paths.directory))
    #expect(feed.follow(Suspicion(), to: nil, in: "/var/tmp"))
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
    #expect(issue.text.contains("of type nfs") && issue.text.contains("/var/tmp or /dev/shm"))
    #expect(machine.names.isEmpty, "nothing is put where other machines would share it")
  }

  // S-19, S-3, S-21
  @Test func `what was pending when a home was moved to the network is not lost there`() throws {
    let local = FaultMachine()
    let before = local.process().store(at: Self.paths)
    try before.set(.integer(1), forKey: "a")
    #expect(before.flush())
    try before.set(.integer(2), forKey: "a")
    try before.set(.integer(3), forKey: "b")
    let values: [String: PropertyListValue] = ["a": .integer(2), "b": .integer(3)]
    var deaths = 0
    for fatal in 1...1_000 {
      let machine = local.moved(to: .shared)
      let (first, start) = (machine.process(), machine.calls)
      var left: FaultMachine?
      machine.beforeCall = { [unowned machine] call, _ in
        if call - start == fatal { left = machine.afterDeath() }
      }
      let store = first.store(at: Self.paths)
      #expect(store.snapshot().values == values)
      #expect(store.flush())
      machine.beforeCall = nil
      #expect(machine.names[Self.paths.journal] == nil)
      guard let left else { break }
      deaths += 1
      let second = left.process().store(at: Self.paths)
      try #require(second.snapshot().values == values, "dead before call \(fatal)")
      try second.set(nil, forKey: "b")
      #expect(second.synchronize())
      let third = left.afterRestart().process().store(at: Self.paths)
      try #require(third.snapshot().values == ["a": .integer(2)], "dead before call \(fatal)")
    }
    #expect(deaths > 10)
  }

  // -- Places on a real disk

  private func mode(_ path: String) -> (owner: UInt32, mode: UInt32)? {
    var raw = stat()
    return lstat(path, &raw) == 0 ? (raw.st_uid, raw.st_mode & 0o7777) : nil
  }

  // S-19, S-22
  @Test func `a place is made once, for its owner, and one that is not is no place`() throws {
    let around = try Place()
    let directory = around.directory
    let (disk, user) = (SystemFileSystem(), geteuid())
    let place = directory + "/strata"
    #expect(try disk.claim(place, for: user))
    #expect(try #require(mode(place)) == (user, 0o711))
    #expect(try disk.claim(place, for: user))
    chmod(place, 0o777)
    #expect(try !disk.claim(place, for: user), "others may change what is in it")
    chmod(place, 0o711)
    symlink(place, directory + "/link")
    #expect(try !disk.claim(directory + "/link", for: user), "it is a link")
    #expect(try disk.names(in: directory).sorted() == ["link", "strata"])
    if user == 0 {
      #expect(try disk.claim(directory + "/other", for: 65_534))
      #expect(try #require(mode(directory + "/other")) == (65_534, 0o711))
      #expect(try !disk.claim(directory + "/other", for: 0), "it is another user's")
    }
    #expect(throws: StorageError.self) { try disk.claim(directory + "/none/strata", for: user) }
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
