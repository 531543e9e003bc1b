import Glibc
import Testing

@testable import StrataStorage

/// Processes that die with the lock between processes in their hands.
@Suite(.serialized) struct DeadHolderProcessTests {
  // S-3, S-6
  @Test func `others go on at once when the holder of the lock is dead`() throws {
    let place = try Place()
    let other = try place.serve()
    try other.ask("set other 0")
    var pauses: [Double] = []
    for round in 1...20 {
      let dying = try Probe(["die-locked", place.plist])
      #expect(try dying.wait() == .signalled(SIGKILL))
      let start = monotonicSeconds()
      #expect(try other.ask("set other \(round)") == "ok")
      pauses.append(monotonicSeconds() - start)
      #expect(try other.ask("get before") == "1")
      #expect(try other.ask("get during") == "nil", "a set that was not committed")
    }
    print("dead holder: median pause \(Int(pauses.median * 1e6)) µs")
    #expect((pauses.max() ?? 1) < 0.05)
    #expect(place.freshStore().integer(forKey: "other") == 20)
  }
}
