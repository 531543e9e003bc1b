import FleetAgent
import FleetModel
import StrataPropertyList
import StrataStorage
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

  /// What the file of the state has after an agent has started and worked at a time.
  private func stateAfterWork(atSecond second: Double) throws -> [UInt8] {
    host.now = Self.year2027 + second
    var agent = host.agent()
    agent.apply()
    return try #require(try WholeFile(host.stateFile).read())
  }

  // M-5, M-12
  @Test func `an agent that has nothing to do writes its state once a day`() throws {
    try applyValue(untilSecond: 1e7)
    let first = try #require(try WholeFile(host.stateFile).read())
    for second in [60.0, 3_600, 86_399, -3_600] {
      #expect(try stateAfterWork(atSecond: second) == first, "\(second)")
    }
    let second = try stateAfterWork(atSecond: 86_400)
    #expect(second != first)
    #expect(try stateAfterWork(atSecond: 2 * 86_400 - 1) == second)
  }

  // M-12
  @Test func `a value that has ended does not come back by a clock that leaps`() throws {
    try applyValue(untilSecond: 1_000)
    _ = try stateAfterWork(atSecond: 1_000)
    #expect(try host.values(app) == nil)
    host.now = 5e9
    var next = host.agent()
    next.apply()
    #expect(next.problems.count == 1)
    #expect(try host.values(app) == nil)
  }

  // M-12
  @Test func `a clock that is a year ahead of when the agent worked is not believed`() throws {
    try applyValue(untilSecond: 1e8)
    _ = try stateAfterWork(atSecond: 86_399)
    for (days, isBelieved) in [(364.0, true), (366, false)] {
      host.now = Self.year2027 + 86_399 + days * 86_400 + 1
      let agent = host.agent()
      let problem = agent.state.time(PropertyListDate(secondsSinceReference: host.now)).problem
      #expect((problem == nil) == isBelieved, "\(days)")
    }
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
