import Foundation
import Testing

@testable import DefaultsCommand

/// Output, errors and exit codes, each byte, against the files in `Golden/`.
///
/// With `STRATA_GOLDEN=write` in the environment the files are written anew, to be read before they
/// are committed.
struct GoldenTests {
  // C-1…C-13, C-20, C-22, C-23, C-28
  @Test(arguments: try Transcript.names())
  func `what is typed brings about what the golden files say`(_ name: String) throws {
    let golden = try Transcript.text(name)
    let now = Transcript.replay(golden, in: try CommandFixture())
    if ProcessInfo.processInfo.environment["STRATA_GOLDEN"] == "write" {
      try now.write(
        to: Transcript.directory.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }
    for (index, lines) in zip(now.split(separator: "\n"), golden.split(separator: "\n"))
      .enumerated()
    where lines.0 != lines.1 {
      Issue.record("\(name), line \(index + 1) that is not empty: \(lines.0) was \(lines.1)")
      break
    }
    #expect(now == golden)
  }

  @Test func `there are golden files`() throws {
    #expect(try Transcript.names().count >= 10)
  }
}
