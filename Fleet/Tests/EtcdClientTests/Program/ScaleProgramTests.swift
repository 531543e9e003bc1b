import Foundation
import Testing

/// The program that measures one etcd with thousands of agents, with a few of them.
@Suite(.serialized)
struct ScaleProgramTests {
  private static let program =
    URL(fileURLWithPath: Fleet.program).deletingLastPathComponent()
    .appendingPathComponent("FleetScale").path

  // M-11
  @Test(
    .timeLimit(.minutes(30)),
    arguments: [
      [], ["--tls"], ["--proxies", "2", "--away", "0"], ["--real", "--agents", "50"],
    ])
  func `each of many agents has each change once, also after the server was killed`(
    _ words: [String]
  ) throws {
    let text = try Command.run(
      Self.program,
      ["--agents", "200", "--changes", "2", "--away", "1", "--spread", "0.2"] + words)
    // What it could not do, it says, and ends with an error; here is what it did last.
    let last = words.contains("--proxies") ? "| etcd after the changes" : "| next put to the last"
    #expect(text.contains(last))
  }
}
