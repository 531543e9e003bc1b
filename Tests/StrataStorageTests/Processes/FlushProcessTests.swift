import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// When pending changes reach the plist file.
@Suite(.serialized, .waiting) struct FlushProcessTests {
  // S-7
  @Test func `the plist holds the last set within a second or so`() throws {
    let place = try Place()
    let probe = try place.serve()
    var delays: [Double] = []
    // The fastest tells what the program does; the others, what else the machine has to do.
    while delays.count < 5 || delays.count < 50 && (delays.min() ?? 2) >= 1.2 {
      let number = delays.count + 1
      try probe.ask("set number \(number)")
      let start = monotonicSeconds()
      let isThere = try holds(within: 600) {
        try place.plistValues()?["number"] == .integer(Int64(number))
      }
      #expect(isThere, "\(number) is not in the plist")
      delays.append(monotonicSeconds() - start)
    }
    print("flush: median delay \(Int(delays.median * 1000)) ms")
    #expect((delays.min() ?? 2) < 1.2)
    let script = "import plistlib,sys; print(plistlib.load(open(sys.argv[1],'rb'))['number'])"
    #expect(try run("python3", "-c", script, place.plist)?.contains("\(delays.count)") == true)
  }

  // S-7
  @Test func `under constant writing the plist is written, too`() throws {
    let place = try Place()
    let counts = place.directory + "/counts"
    try place.overwrite(counts, [UInt8](repeating: 0, count: 4096))
    let writer = try Probe(["write-forever", place.plist, counts, "0", "0", "100", "0"])
    let start = monotonicSeconds()
    #expect(try holds(within: 600) { try place.plistValues()?["w0.99"] != nil })
    print("flush: under constant writing after \(Int((monotonicSeconds() - start) * 1000)) ms")
    writer.kill(SIGKILL)
    #expect(try writer.wait() == .signalled(SIGKILL))
  }

  // S-7
  @Test func `a normal exit writes the plist`() throws {
    for round in 0..<20 {
      let place = try Place()
      let probe = try place.serve()
      try probe.ask("set number 7")
      // At different moments of the thread that flushes by itself, its turn included.
      poll(nil, 0, Int32(round * 45))
      #expect(try probe.finish() == .exited(0))
      #expect(try place.plistValues()?["number"] == .integer(7), "round \(round)")
    }
  }

  // S-7
  @Test func `a flush waits for another one and then holds everything`() throws {
    let place = try Place()
    let probes = try (0..<4).map { _ in try place.serve() }
    for round in 0..<50 {
      for (index, probe) in probes.enumerated() { try probe.ask("set key\(index) \(round)") }
      for probe in probes { try probe.send("flush") }
      for probe in probes { try #require(try probe.line() == "true", "round \(round)") }
      for index in probes.indices {
        #expect(try place.plistValues()?["key\(index)"] == .integer(Int64(round)))
      }
    }
  }

  // S-7
  @Test func `who only reads brings to the plist what a killed process left`() throws {
    var place: Place
    repeat {
      place = try Place()
      let writer = try place.serve()
      try writer.ask("set A 1")
      writer.kill(SIGKILL)
      _ = try writer.wait()
      // On a busy machine, the writer may have flushed.
    } while try place.plistValues()?["A"] != nil
    let reader = try place.serve()
    let isStored = try holds(within: 600) {
      #expect(try reader.ask("get A") == "1")
      return try place.plistValues()?["A"] == .integer(1)
    }
    #expect(isStored)
  }
}
