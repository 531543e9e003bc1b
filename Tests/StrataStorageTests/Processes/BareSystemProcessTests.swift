import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Systems that lack something, or refuse it.
@Suite(.serialized, .waiting) struct BareSystemProcessTests {
  // S-10
  @Test(arguments: [EPERM, ENOSYS, EOPNOTSUPP])
  func `where the kernel refuses to allocate space values are stored`(code: Int32) throws {
    let place = try Place()
    let probe = try place.serve()
    #expect(try probe.ask("refuse-allocation \(code)") == "ok")
    for index in 0..<40 { #expect(try probe.ask("set-text text\(index) 4000") == "ok") }
    #expect(try [probe.ask("sync"), probe.ask("flush")] == ["true", "true"])
    #expect(try probe.ask("issues") == "")
    #expect(place.freshValues().count == 40)
  }

  // S-10
  @Test(.enabled(if: geteuid() == 0, "only root can have a system without /proc"))
  func `without the file system of processes values are stored and told`() throws {
    let place = try Place()
    let probe = try place.serve()
    #expect(try probe.ask("lose-processes") == "ok")
    try probe.ask("watch A")
    try probe.ask("set A 1")
    #expect(try [probe.ask("sync"), probe.ask("flush")] == ["true", "true"])
    #expect(try probe.ask("issues") == "")
    let other = place.freshStore()
    try other.set(.integer(2), forKey: "A")
    #expect(try probe.ask("told 2") == "2")
    #expect(try probe.ask("limit-file-size 70000") == "ok")
    for index in 0..<40 { #expect(try probe.ask("set-text text\(index) 4000") == "ok") }
    #expect(try probe.ask("issues").contains("File too large"))
    #expect(try probe.ask("get text39").utf8.count == 4_000)
    #expect(try probe.finish() == .exited(0))
  }

  // S-10
  @Test(arguments: [ENOSPC, EDQUOT])
  func `a journal that has no room to grow takes none of what is left`(code: Int32) throws {
    let place = try Place()
    let probe = try place.serve()
    #expect(try probe.ask("set first 1") == "ok")
    let size = try place.bytes(of: place.paths.journal).count
    #expect(try probe.ask("refuse-allocation \(code)") == "ok")
    for index in 0..<40 { #expect(try probe.ask("set-text text\(index) 4000") == "ok") }
    #expect(try !probe.ask("issues").isEmpty)
    #expect(try place.bytes(of: place.paths.journal).count == size)
    #expect(try probe.ask("get text39").utf8.count == 4_000, "it has the values all the same")
    #expect(place.freshValues()["first"] != nil)
  }
}
