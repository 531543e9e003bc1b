import Foundation
import StrataTesting
import Testing

/// What a set costs that nobody observes.
@Suite(.waiting) struct SetCostProcessTests {
  // S-8, O-5
  @Test func `a set that nobody observes makes one system call: it looks for edits`() throws {
    guard access(Self.strace, X_OK) == 0 else {
      print("not tested: there is no strace to count system calls with")
      return
    }
    // By then it has begun to listen: until then a set looks at the files.
    let few = try calls(of: 200)
    let many = try calls(of: 1_200)
    print("sets: \(many - few) system calls more for 1,000 sets")
    // In between the journal is made longer, page by page. A second call of each set would make
    // 2,000.
    #expect(many - few <= 1_250)
  }

  private func calls(of sets: Int) throws -> Int {
    let fixture = try DefaultsFixture()
    let report = fixture.directory + "/calls"
    let probe = try ProbeProcess(
      in: fixture, ["sets", "\(sets)"], tracer: [Self.strace, "-f", "-o", report])
    try probe.finish()
    // Each line begins with the thread's number; the one that flushes is not counted.
    let lines = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n")
    let threads = lines.map { $0.prefix { $0.isNumber } }
    return threads.count { $0 == threads.first }
  }

  private static let strace = "/usr/bin/strace"
}
