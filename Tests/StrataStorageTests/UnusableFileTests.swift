import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Plist files that can't be used, and are not ours to move.
@Suite struct UnusableFileTests {
  private let place: Place

  init() throws { place = try Place() }

  private func isFIFO(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  // C-23
  @Test func `a check counts the values of a domain with those that are pending`() throws {
    let (machine, paths) = (FaultMachine(), CrashScript.paths)
    let store = machine.process().store(at: paths)
    let check = { StoreCheck(paths, on: machine.process().disk) }
    for key in ["a", "b"] { try store.set(.integer(1), forKey: key) }
    #expect(check().valueCount == 2)
    try #require(store.flush())
    #expect(check().valueCount == 2)
    for key in ["b", "c", "d"] { try store.set(.integer(2), forKey: key) }
    try store.set(nil, forKey: "a")
    #expect(check().valueCount == 3)
    machine.edit(paths.plist, try foreignList(["e": 1]))
    #expect(check().valueCount == 1)
    try store.apply(ChangeSet([], replacesAll: true))
    #expect(check().valueCount == 0 && check().findings.isEmpty)
  }

  // S-9, S-12
  @Test func `what lies behind a link and is no property list is left where it is`() throws {
    place.isLeftBroken = true
    let (pipe, text) = (place.directory + "/pipe", place.directory + "/text")
    mkfifo(pipe, 0o600)
    let file = fopen(text, "w")
    fputs("root:x:0:0::/root:/bin/sh\n", file)
    fclose(file)
    for target in [pipe, text] {
      unlink(place.plist)
      symlink(target, place.plist)
      let store = place.freshStore()
      try store.set(.integer(1), forKey: "a")
      #expect(store.synchronize())
      #expect(!store.flush())
      #expect(store.issues.contains { $0.kind == .notStored })
      #expect(place.freshStore().integer(forKey: "a") == 1)
    }
    #expect(isFIFO(pipe))
    #expect(access(text, F_OK) == 0)
  }

  // S-9a
  @Test func `a check says of a journal that its word is damaged`() throws {
    place.isLeftBroken = true
    try place.freshStore().set(.integer(1), forKey: "a")
    let file = open(place.paths.journal, O_RDWR)
    defer { close(file) }
    var word: UInt64 = 0
    #expect(pread(file, &word, 8, JournalLayout.word) == 8)
    word ^= 1 << 40
    #expect(pwrite(file, &word, 8, JournalLayout.word) == 8)
    let findings = StoreCheck(place.paths).findings
    #expect(findings.contains { $0.severity == .broken && $0.text.contains("is damaged") })
  }

  // S-8, S-24
  @Test func `a check says what a journal waits for`() throws {
    let unread = try FoundDomain(after: .edited, isKnown: false)
    unread.machine.quietError = { call, _ in call == .read ? EIO : nil }
    _ = unread.user.snapshot()
    unread.machine.quietError = nil
    for (domain, text) in [
      (unread, "it could not be read before, and no program has read it since"),
      (try FoundDomain(after: .edited, isKnown: true), "no program has read the edit yet"),
      (try FoundDomain(after: .announced, isKnown: true), "an interrupted checkpoint"),
    ] {
      let disk = FaultDisk(on: domain.machine, process: 99)
      let findings = StoreCheck(FoundDomain.paths, on: disk).findings
      #expect(findings.contains { $0.severity == .unfinished && $0.text.contains(text) })
      #expect(!findings.contains { $0.severity == .broken })
    }
  }

  // S-8
  @Test func `a domain that is taken away with its directory comes back with the next set`() throws
  {
    let store = place.freshStore()
    try store.set(.integer(1), forKey: "a")
    #expect(store.flush())
    #expect(!store.mayHavePending)
    _ = try run("rm", "-rf", place.directory)
    #expect(holds(within: 600) { store.snapshot().values == [:] })
    #expect(store.flush())
    #expect(access(place.plist, F_OK) != 0, "nobody asked for a file")
    try store.set(.integer(2), forKey: "b")
    #expect(store.flush())
    #expect(place.freshStore().snapshot().values == ["b": .integer(2)])
  }

  // S-24
  @Test(arguments: [EACCES, EPERM, EIO, ELOOP, EISDIR, ENOMEM])
  func `a plist that can't be read for now is not moved aside`(code: Int32) throws {
    let disk = LimitedDisk()
    try place.exchange(place.plist, try foreignList(["old": 1]))
    disk.refuse(place.plist, code)
    let store = StorageProcess(on: disk, isAutomatic: false).store(at: place.paths)
    try store.set(.integer(1), forKey: "new")
    #expect(store.integer(forKey: "new") == 1)
    #expect(!store.synchronize())
    #expect(!store.flush())
    #expect(store.issues.contains { $0.kind == .unreadable && $0.path == place.plist })
    #expect(try place.names().filter { $0.contains("damaged") } == [])
    disk.refuse(place.plist, nil)
    #expect(store.synchronize())
    #expect(store.flush())
    #expect(store.snapshot().values == ["old": .integer(1), "new": .integer(1)])
    #expect(try place.plistValues() == ["old": .integer(1), "new": .integer(1)])
    #expect(store.issues == [])
  }

  // S-9, S-12
  @Test func `the mode of a file that is put aside is not the next one's`() throws {
    let machine = FaultMachine()
    machine.makeParents(of: CrashScript.paths.plist)
    machine.edit(CrashScript.paths.plist, Array("no property list <".utf8))
    machine.names[CrashScript.paths.plist]?.mode = 0
    let store = machine.process().store(at: CrashScript.paths)
    try store.set(.integer(1), forKey: "a")
    #expect(store.flush())
    #expect(machine.names[CrashScript.paths.plist]?.mode == 0o600)
    #expect(store.issues.contains { $0.keptAt != nil })
  }

  private func makeSparse(_ path: String, size: Int) {
    let file = open(path, O_RDWR | O_CREAT, 0o600)
    ftruncate(file, off_t(size))
    close(file)
  }

  // S-23, S-24, S-11
  @Test(arguments: [(512 << 20) + 1, 100 << 30])
  func `a plist that is too large is not read, stays, and what is set waits`(size: Int) throws {
    makeSparse(place.plist, size: size)
    let store = place.freshStore()
    try store.set(.integer(1), forKey: "new")
    #expect(store.integer(forKey: "new") == 1)
    #expect(!store.synchronize() && !store.flush())
    #expect(store.issues.contains { $0.kind == .unreadable && $0.text.contains("\(size) bytes") })
    #expect(try SystemFileSystem().status(of: place.plist)?.size == size)
    try place.exchange(place.plist, try foreignList(["old": 1]))
    #expect(store.flush())
    #expect(place.freshValues() == ["old": .integer(1), "new": .integer(1)])
  }

  // S-23, S-11
  @Test(arguments: [true, false])
  func `a journal that is too large is not read whole, and kept`(isBlank: Bool) throws {
    try place.freshStore().set(.integer(1), forKey: "old")
    makeSparse(place.paths.journal, size: 100 << 30)
    let file = open(place.paths.journal, O_RDWR)
    let head = [UInt8](repeating: isBlank ? 0 : 1, count: 64)
    pwrite(file, head, head.count, 0)
    if isBlank { pwrite(file, [UInt8](repeating: 0, count: 64), 64, 64) }
    close(file)
    let store = place.freshStore()
    #expect(store.integer(forKey: "old") == 1)
    try store.set(.integer(2), forKey: "new")
    #expect(store.flush())
    #expect(place.freshValues() == ["old": .integer(1), "new": .integer(2)])
    #expect(try place.names(in: place.paths.hidden).contains { $0.contains(".damaged-") })
    #expect(StoreCheck(place.paths).findings.isEmpty)
  }

  // S-23
  @Test func `a file that is no domain's is not read either when it is too large`() {
    let path = place.directory + "/large"
    makeSparse(path, size: 100 << 30)
    #expect(throws: StorageError.self) { try WholeFile(path).read() }
  }
}
