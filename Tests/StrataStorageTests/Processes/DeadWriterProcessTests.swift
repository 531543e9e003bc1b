import Glibc
import StrataTesting
import Testing

@testable import StrataStorage

/// Processes that die in the middle of a set.
@Suite(.serialized, .waiting) struct DeadWriterProcessTests {
  // S-3, S-6
  @Test func `others go on when a process died in the middle of a set`() throws {
    let place = try Place()
    let other = try place.serve()
    try other.ask("set other 0")
    for round in 1...20 {
      let dying = try Probe(["die-locked", place.plist])
      #expect(try dying.wait() == .signalled(SIGKILL))
      #expect(try other.ask("set other \(round)") == "ok")
      #expect(try other.ask("get before") == "1")
      #expect(try other.ask("get during") == "nil", "a set that was not committed")
    }
    #expect(place.freshStore().integer(forKey: "other") == 20)
  }
}
