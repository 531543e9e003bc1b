import FleetAgent
import Glibc
import RevisionedStore
import Testing

@testable import FaultTesting

/// Agents whose disk refuses one operation, or all from one on.
struct AgentErrorSlowTests {
  private let script: FaultScript

  init() throws { script = try FaultScript() }

  /// Which operations fail.
  struct Failing: Sendable, CustomTestStringConvertible {
    let code: Int32
    let isLasting: Bool
    /// Those with such a path; all if it is empty.
    var place = ""
    var testDescription: String { "\(code)\(isLasting ? ", lasting" : "") \(place)" }
  }

  // M-5
  @Test(arguments: [
    Failing(code: EIO, isLasting: false), Failing(code: EIO, isLasting: true),
    Failing(code: ENOSPC, isLasting: false), Failing(code: ENOSPC, isLasting: true),
    Failing(code: EACCES, isLasting: true),
    Failing(code: ENOSPC, isLasting: true, place: FaultHost.state),
  ])
  func `an error at any disk operation is reported, leaves whole files, and ends with the error`(
    failing: Failing
  ) throws {
    let host = FaultScript.host()
    for (number, snapshot) in script.snapshots.enumerated() {
      var call = 1
      while true {
        let copy = FaultHost(host.machine.afterDeath())
        let trial = Trial(copy, failing, from: call)
        let complaint = trial.complaint(
          snapshot, between: script.files[number], and: script.files[number + 1])
        try #require(
          complaint == nil, "step \(number), call \(call), \(trial.failed): \(complaint ?? "")")
        if trial.failed == "none" { break }
        call += 1
      }
      #expect(call > (failing.place.isEmpty ? 20 : 2))
      host.run(snapshot)
    }
  }

  /// One run of an agent whose disk fails.
  private final class Trial {
    private let host: FaultHost
    private(set) var failed = "none"
    private var calls = 0

    init(_ host: FaultHost, _ failing: Failing, from first: Int) {
      self.host = host
      let judge = { [unowned self] (name: String) -> Int32? in
        guard failing.place.isEmpty || name.contains(failing.place) else { return nil }
        calls += 1
        guard failing.isLasting ? calls >= first : calls == first else { return nil }
        if failed == "none" { failed = name }
        return failing.code
      }
      host.machine.error = { _, name, _ in judge(name) }
      // A full disk can be read.
      if failing.code != ENOSPC { host.machine.quietError = { call, _ in judge("\(call)") } }
    }

    func complaint(
      _ snapshot: StoreSnapshot, between old: [String: [UInt8]], and new: [String: [UInt8]]
    ) -> String? {
      var agent = host.run(snapshot)
      if let complaint = host.complaint(between: old, and: new) { return complaint }
      if host.files != new, agent.problems.count < 2 { return "not reported: \(agent.problems)" }
      host.machine.error = nil
      host.machine.quietError = nil
      let left = FaultHost(host.machine.afterDeath())
      if let complaint = left.complaintOfRestartAlone(new) { return complaint }
      agent.apply()
      if let difference = host.difference(from: new) { return "then \(difference)" }
      if agent.problems.count != 1 { return "then it has \(agent.problems)" }
      agent = host.run(snapshot)
      if !host.leftOvers.isEmpty { return "a restart leaves \(host.leftOvers)" }
      return agent.problems.count == 1 ? nil : "a restart has \(agent.problems)"
    }
  }
}
