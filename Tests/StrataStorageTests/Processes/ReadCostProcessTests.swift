import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// What reads cost, and what a process costs that does nothing.
@Suite(.serialized, .waiting) struct ReadCostProcessTests {
  // S-13
  @Test func `reads make no system calls but one look in forty milliseconds`() throws {
    guard access("/usr/bin/strace", X_OK) == 0 else {
      print("not tested: there is no strace to count system calls with")
      return
    }
    let place = try Place()
    try place.exchange(place.plist, try foreignList(["key": 7]))
    let few = try calls(place, reads: 1)
    let many = try calls(place, reads: 1_000_000)
    let looks = many.seconds / 0.04
    print(
      "reads: \(many.calls - few.calls) system calls more for 2,000,000 reads in "
        + "\(Int(many.seconds * 1000)) ms")
    // A look takes four or five of them, and some more while the list has only just been written.
    #expect(Double(many.calls - few.calls) <= 5 * looks + 100)
  }

  private func calls(_ place: Place, reads: Int) throws -> (calls: Int, seconds: Double) {
    let report = place.directory + "/calls"
    let words = ["-f", "-c", "-o", report, Probe.program, "read", place.plist, "key"]
    let traced = try Probe(words + ["\(reads)"], program: "strace")
    let answer = try traced.line().split(separator: " ").compactMap { Double($0) }
    #expect(try traced.wait() == .exited(0))
    let lines = String(decoding: try place.bytes(of: report), as: UTF8.self).split(separator: "\n")
    // 100.00    0.001234           4       301        17 total
    let total = lines.last.map { $0.split(separator: " ") } ?? []
    try #require(total.last == "total" && total.count >= 5, "\(lines)")
    return (try #require(Int(total[3])), try #require(answer.first) / 1e9)
  }

  // S-2, S-13
  @Test func `to be told of a set in another process asks nothing of the disk`() throws {
    guard access("/usr/bin/strace", X_OK) == 0 else {
      print("not tested: there is no strace to count system calls with")
      return
    }
    let place = try Place()
    let writer = place.freshStore()  // that never flushes, which would be looked into
    try writer.set(.integer(0), forKey: "key")
    let few = try fileCalls(place, writer, telling: 1...1)
    let many = try fileCalls(place, writer, telling: 2...301)
    print("telling: \(many - few) calls that name a file more for 299 sets")
    #expect(many - few <= 10)
  }

  private func fileCalls(
    _ place: Place, _ writer: Store, telling numbers: ClosedRange<Int64>
  ) throws -> Int {
    let report = place.directory + "/calls"
    let words = ["-f", "-e", "trace=file", "-o", report, Probe.program, "serve", place.plist]
    let traced = try Probe(words, program: "strace")
    #expect(try traced.line() == "ready")
    try traced.ask("watch key")
    for number in numbers {
      try writer.set(.integer(number), forKey: "key")
      #expect(try traced.ask("told \(number)") == "\(number)")
    }
    traced.closeInput()
    #expect(try traced.wait() == .exited(0))
    return try place.bytes(of: report).count { $0 == UInt8(ascii: "\n") }
  }

  // S-25
  @Test func `who reads opens no queue and has no thread, who sets has one thread`() throws {
    guard access("/usr/bin/strace", X_OK) == 0 else {
      print("not tested: there is no strace to see queues and threads with")
      return
    }
    let place = try Place()
    try place.exchange(place.plist, try foreignList(["key": 7]))
    #expect(try makings(place, ["get", place.plist, "key"], says: "7") == [])
    #expect(try makings(place, ["set", place.plist, "key", "8"]) == ["thread"])
    #expect(try place.plistValues()?["key"] == .integer(8))
    #expect(try makings(place, ["get", place.plist, "key"], says: "8") == [])
  }

  /// What a program of ours makes in the kernel that has to be taken down at its end.
  private func makings(
    _ place: Place, _ words: [String], says answer: String? = nil
  ) throws -> [String] {
    let report = place.directory + "/calls"
    let calls = "trace=inotify_init,inotify_init1,epoll_create1,clone,clone3"
    let tracing = ["-f", "-e", calls, "-o", report, Probe.program]
    let traced = try Probe(tracing + words, program: "strace")
    if let answer { #expect(try traced.line() == answer) }
    #expect(try traced.wait() == .exited(0))
    return String(decoding: try place.bytes(of: report), as: UTF8.self).split(separator: "\n")
      .filter { $0.contains("(") && !$0.contains("resumed>") }
      .map { $0.contains(" clone") ? "thread" : String($0) }
  }

  // S-13
  @Test func `reads of numbers allocate nothing`() throws {
    let place = try Place()
    try place.exchange(place.plist, try foreignList(["key": 7]))
    let reader = try Probe(["read", place.plist, "key", "1000000"])
    let answer = try reader.line().split(separator: " ").compactMap { Int($0) }
    try #require(answer.count == 3)
    print("reads: \(answer[0] / 2_000_000) ns each, \(answer[1]) allocations for all")
    #expect(answer[2] == 7_000_000)
    // What allocates is the look at the files, every forty milliseconds.
    #expect(answer[1] <= 40 * (2 + answer[0] / 40_000_000))
  }

  // S-7, S-13
  @Test func `an idle process has no thread of ours and takes no time`() throws {
    let place = try Place()
    let probe = try place.serve()
    let other = OtherProcess(probe.pid)
    try probe.ask("set key 1")
    // A thread flushes, and ends then.
    #expect(try holds(within: 600) { try place.plistValues()?["key"] == .integer(1) })
    #expect(try holds(within: 600) { try other.threads() == 1 })
    #expect(try other.wakeUps(during: 1) == 0)
    #expect(try other.threads() == 1)
  }
}
