import FleetAgent
import FleetModel
import StrataPropertyList
import Testing

/// Clocks that are wrong, and set right.
struct AgentClockTests {
  private let host: HostFixture
  private let app = "managed/com.example.app.plist"

  init() throws { host = try HostFixture() }

  private static let (year1970, year2027) = (-978_307_200.0, 820_454_400.0)

  /// Applies a value that ends so many seconds after 2027 has begun.
  private func applyValue(untilSecond second: Double) throws {
    host.now = Self.year2027
    let end = PropertyListDate(secondsSinceReference: Self.year2027 + second)
    var agent = host.agent()
    agent.adopt(
      try host.snapshot([try host.policy("all", ["Theme": PolicyEntry("dark", until: end)])]))
    agent.apply()
  }

  // M-12
  @Test func `a clock that leaps more than a year lifts nothing, until it is trusted`() throws {
    try applyValue(untilSecond: 1_000)
    host.now = 5e9
    var next = host.agent()
    next.apply()
    #expect(try host.values(app) == ["Theme": "dark"])
    #expect(next.problems.count == 1)
    // The time stands still, so there is no end to wait for.
    #expect(next.nextEnd == nil)
    var trusting = host.agent(trustsClock: true)
    trusting.apply()
    #expect(try host.values(app) == nil)
  }

  // M-12
  @Test func `a clock that was not set yet is believed when it is`() throws {
    host.now = Self.year1970
    var unset = host.agent()
    unset.adopt(try host.snapshot([]))
    unset.apply()
    host.now = Self.year2027
    var next = host.agent()
    next.apply()
    #expect(next.problems == [])
  }

  // M-12
  @Test func `a clock that was set back is believed when it is right again`() throws {
    try applyValue(untilSecond: 1_000)
    host.now = Self.year1970
    var early = host.agent()
    early.apply()
    #expect(try host.values(app) == ["Theme": "dark"])
    host.now = Self.year2027 + 1_000
    var next = host.agent()
    next.apply()
    #expect(next.problems == [])
    #expect(try host.values(app) == nil)
  }
}
