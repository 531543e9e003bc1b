import Foundation
import StrataTesting
import Testing

/// Programs on systems that lack something.
@Suite(.enabled(if: geteuid() == 0, "only root can have a system without /proc"), .waiting)
struct BareProcessTests {
  // S-10, D-22
  @Test func `a program without the file system of processes sets and reads`() throws {
    let fixture = try DefaultsFixture()
    let script = "mount -t tmpfs none /proc && exec \"$0\" -argument given"
    let result = try DomainsProcess(
      in: fixture,
      ["get key", "set key x", "get key", "sync", "identifier", "issues", "get argument"],
      arguments: ["-m", "sh", "-c", script, DomainsProcess.program], program: "/usr/bin/unshare"
    ).result()
    #expect(
      result.answers == ["nil", "ok", "x", "true", DefaultsFixture.identifier, "none", "given"],
      "\(result.log)")
    #expect(result.status == 0)
  }
}
