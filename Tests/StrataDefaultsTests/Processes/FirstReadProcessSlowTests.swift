import Foundation
import StrataTesting
import Testing

import class StrataDefaults.UserDefaults

/// The first reads of a process, on two threads at the same moment.
@Suite(.waiting) struct FirstReadProcessSlowTests {
  // V-28
  @Test func `the first reads of three hundred processes are right on both threads`() throws {
    let fixture = try DefaultsFixture()
    fixture.defaults.set(Int.max, forKey: "key")
    fixture.flush()
    for run in 1...300 {
      if run == 150 { fixture.defaults.set("in the journal too", forKey: "other") }
      let probe = try ProbeProcess(in: fixture, ["race", "key"])
      #expect(try probe.line() == "\(Int.max) \(Int.max)", "run \(run)")
      try probe.finish()
    }
  }
}
