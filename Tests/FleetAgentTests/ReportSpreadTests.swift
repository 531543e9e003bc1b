import FleetModel
import RevisionedStore
import StrataPropertyList
import Testing

@testable import FleetAgent

/// When a host says what it has applied.
struct ReportSpreadTests {
  // M-11
  @Test func `the more hosts report, the more time each takes to do so`() {
    var spread = ReportSpread()
    #expect(spread.milliseconds == 1_000)
    spread.didReport(at: 7)
    #expect(spread.milliseconds == 1_000)
    spread.didReport(at: 7 + 10_000)
    #expect(spread.milliseconds == 20_000)
    spread.didReport(at: 7 + 10_000 + 100_000)
    #expect(spread.milliseconds == 200_000)
    spread.didReport(at: .max / 2)
    #expect(spread.milliseconds == 900_000)
  }

  // M-11
  @Test func `two reports that are close together halve the time, and no more`() {
    var spread = ReportSpread()
    for revision: Int64 in [1, 20_001, 20_002] { spread.didReport(at: revision) }
    #expect(spread.milliseconds == 20_000)
    for revision: Int64 in 20_003..<20_020 { spread.didReport(at: revision) }
    #expect(spread.milliseconds == 1_000)
  }

  // M-11
  @Test func `a host that was away does not take what it missed for many hosts`() {
    var spread = ReportSpread()
    spread.didReport(at: 1)
    spread.didReport(at: 5_001)
    spread.didLoseServer()
    spread.didReport(at: 900_000)
    #expect(spread.milliseconds == 10_000)
    spread.didReport(at: 905_500)
    #expect(spread.milliseconds == 11_000)
  }
}
