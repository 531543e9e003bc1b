import Glibc
import PropertyListTesting
import StrataPropertyList
import Testing

@testable import StrataStorage

/// Plist files that can't be used, and are not ours to move.
@Suite struct UnusableFileTests {
  private let place: Place

  init() throws { place = try Place() }

  private func isFIFO(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  // S-9, S-12
  @Test func `what lies behind a link and is no property list is left where it is`() throws {
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

  // S-8
  @Test func `a domain that is taken away with its directory comes back with the next set`() throws
  {
    let store = place.freshStore()
    try store.set(.integer(1), forKey: "a")
    #expect(store.flush())
    #expect(!store.mayHavePending)
    _ = try run("rm", "-rf", place.directory)
    #expect(holds(within: 60) { store.snapshot().values == [:] })
    #expect(store.flush())
    #expect(access(place.plist, F_OK) != 0, "nobody asked for a file")
    try store.set(.integer(2), forKey: "b")
    #expect(store.flush())
    #expect(place.freshStore().snapshot().values == ["b": .integer(2)])
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
}
