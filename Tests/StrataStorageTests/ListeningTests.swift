import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// A process that has just started looks at its files; one that goes on has the kernel report
/// changes. Between the two nothing is missed.
@Suite struct ListeningTests {
  private let place: Place
  private let watched = Guarded<[String]>([])

  init() throws { place = try Place() }

  private func process(didLook: @escaping @Sendable (String) -> Void = { _ in }) -> StorageProcess {
    let disk = LimitedDisk(
      willWatch: { [watched] path, _ in watched.withLock { $0.append(path) } }, didLook: didLook)
    return StorageProcess(on: disk, isAutomatic: false, feedMode: .later)
  }

  private var isListening: Bool { watched.withLock { !$0.isEmpty } }

  // S-8, S-13
  @Test func `who sets a few times asks the kernel for nothing, who goes on does`() throws {
    let store = process().store(at: place.paths)
    for number in Int64(0)..<10 { try store.set(.integer(number), forKey: "mine") }
    #expect(store.integer(forKey: "mine") == 9)
    #expect(!isListening)
    for number in 0..<Int64(StorageProcess.looksMax) {
      try store.set(.integer(number), forKey: "mine")
    }
    #expect(isListening)
  }

  // S-8, O-5
  @Test func `who watches asks the kernel at once`() throws {
    let store = process().store(at: place.paths)
    try store.set(.integer(1), forKey: "mine")
    #expect(!isListening)
    let watch = store.watch { _ in }
    try store.set(.integer(2), forKey: "mine")
    #expect(isListening)
    watch.cancel()
  }

  // S-8
  @Test func `an edit before any set counts, also around the one that begins to listen`() throws {
    let store = process().store(at: place.paths)
    try store.set(.integer(0), forKey: "mine")
    #expect(store.flush())
    for number in 1...Int64(StorageProcess.looksMax + 20) {
      try place.exchange(place.plist, foreignList(["theirs": number]))
      try store.set(.integer(number), forKey: "mine")
      #expect(store.integer(forKey: "theirs") == number, "set \(number)")
      #expect(store.integer(forKey: "mine") == number, "set \(number)")
    }
    #expect(isListening)
  }

  // S-8
  @Test func `an edit right after the look that begins to listen is seen by the next set`() throws {
    let (plist, edited) = (place.plist, place.plist + ".edited")
    let isArmed = Guarded(false)
    let process = process { [watched] path in
      guard path == plist, watched.withLock({ !$0.isEmpty }) else { return }
      let mustEdit = isArmed.withLock { isArmed in
        defer { isArmed = false }
        return isArmed
      }
      if mustEdit { try? SystemFileSystem().rename(edited, to: plist, .replace) }
    }
    let store = process.store(at: place.paths)
    try store.set(.integer(0), forKey: "mine")
    #expect(store.flush())
    try place.exchange(edited, foreignList(["theirs": 7]))
    isArmed.withLock { $0 = true }
    for number in 1...Int64(StorageProcess.looksMax) where isArmed.withLock({ $0 }) {
      try store.set(.integer(number), forKey: "mine")
    }
    #expect(isListening && !isArmed.withLock { $0 } && !place.exists(edited))
    try store.set(.integer(-1), forKey: "mine")
    #expect(store.integer(forKey: "theirs") == 7)
    #expect(store.integer(forKey: "mine") == -1)
  }

  // S-2, S-8
  @Test func `a domain that others begin is seen at once, and a directory within a look`() throws {
    let mine = process().store(at: place.paths)
    #expect(mine.integer(forKey: "theirs") == nil)
    let theirs = StorageProcess(on: SystemFileSystem(), isAutomatic: false).store(at: place.paths)
    try theirs.set(.integer(1), forKey: "theirs")
    #expect(mine.integer(forKey: "theirs") == 1)
    #expect(!isListening)
  }

  // S-8
  @Test func `a directory that is taken away and put back is seen in both modes`() throws {
    let store = process().store(at: place.paths)
    for number in 1...Int64(StorageProcess.looksMax + 20) {
      try store.set(.integer(number), forKey: "mine")
      if !number.isMultiple(of: 30) { continue }
      #expect(store.flush())
      let away = place.directory + ".away"
      _ = try run("mv", place.directory, away)
      _ = try run("mkdir", "-m", "700", place.directory)
      try place.exchange(place.plist, foreignList(["theirs": number]))
      try store.set(.integer(-number), forKey: "other")
      #expect(store.integer(forKey: "theirs") == number, "set \(number)")
      _ = try run("rm", "-rf", away)
    }
    #expect(isListening)
  }
}
