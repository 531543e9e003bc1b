import Testing

@testable import FleetAgent

/// When a host reports that nothing has changed.
struct ReportIntervalTests {
  // M-11
  @Test func `a report is due after a quarter of an hour, also by a clock that was set back`() {
    var interval = ReportInterval()
    #expect(interval.isDue(at: 0))
    interval.didReport(at: 50_000)
    #expect(!interval.isDue(at: 50_000))
    #expect(!interval.isDue(at: 50_900))
    #expect(interval.isDue(at: 50_901))
    #expect(interval.isDue(at: 14_000), "the clock was ten hours ahead when it reported")
    interval.didReport(at: 14_000)
    #expect(!interval.isDue(at: 14_060))
  }
}
