import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage
import StrataTesting
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// Steps of several processes in one domain, of which some are killed.
@Suite(.serialized, .waiting) struct StepProcessSlowTests {
  private let fixture: DefaultsFixture

  init() throws { fixture = try DefaultsFixture() }

  /// Starts probes that wait to be told to go.
  private func probes(_ count: Int, _ arguments: String...) throws -> [ProbeProcess] {
    let probes = try (0..<count).map { _ in try ProbeProcess(in: fixture, arguments) }
    for probe in probes { _ = try probe.line() }
    return probes
  }

  // W-11
  @Test func `two processes that add one ten thousand times each lose nothing`() throws {
    let probes = try probes(2, "increment", "Counter", "10000")
    for probe in probes { try probe.tell("go") }
    for probe in probes { #expect(try probe.line(within: 600) == "done") }
    #expect(fixture.defaults.integer(forKey: "Counter") == 20_000)
    let later = try ProbeProcess.serving(fixture)
    #expect(try later.ask("get", "integer", "Counter") == "20000")
  }

  // W-11
  @Test func `of a transaction of ten keys, killed at any moment, all count or none`() throws {
    let key = (0..<10).map { "ten.\($0)" }
    for round in 0..<25 {
      let probe = try #require(probes(1, "transact").first)
      let start = fixture.defaults.integer(forKey: key[0])
      let end = start + Int.random(in: 1...200)
      try probe.tell("go")
      var seen: Set<Int> = []
      while (seen.max() ?? 0) < end {
        let snapshot = fixture.defaults.snapshot()
        let values = Set(key.map { snapshot[$0] })
        #expect(values.count == 1, "round \(round): \(values)")
        seen = Set(values.map { $0.flatMap { Int(stored: $0) } ?? 0 })
      }
      probe.kill()
      let values = Set(key.map { fixture.defaults.integer(forKey: $0) })
      #expect(values.count == 1 && (values.first ?? 0) >= end, "round \(round): \(values)")
    }
    let answers = try DomainsProcess.answers(in: fixture, "get ten.0", "get ten.5", "get ten.9")
    #expect(Set(answers).count == 1)
  }

  // W-13
  @Test func `a migration by processes that begin together is run once`() throws {
    for round in 0..<10 {
      fixture.defaults.removePersistentDomain(forName: DefaultsFixture.identifier)
      for step in 0..<20 { fixture.defaults.set(step, forKey: "step.\(step)") }
      let probes = try probes(2, "migrate")
      for probe in probes { try probe.tell("go") }
      for probe in probes { #expect(try probe.line() == "done") }
      let found = (0..<20).map { fixture.defaults.integer(forKey: "step.\($0)") }
      #expect(found == Array(1...20), "round \(round)")
    }
  }

  // W-13
  @Test func `a migration that is killed has run whole or not at all`() throws {
    for step in 0..<20 { fixture.defaults.set(step, forKey: "step.\(step)") }
    func values() -> [Int] { (0..<20).map { fixture.defaults.integer(forKey: "step.\($0)") } }
    for step in [0, 10, 19] {
      let probe = try #require(probes(1, "migrate", "\(step)").first)
      try probe.tell("go")
      #expect(throws: ProbeProcess.Failure.self) { try probe.line() }
      #expect(values() == Array(0..<20))
    }
    for round in 0..<20 {
      fixture.defaults.removePersistentDomain(forName: DefaultsFixture.identifier)
      for step in 0..<20 { fixture.defaults.set(step, forKey: "step.\(step)") }
      let probe = try #require(probes(1, "migrate").first)
      try probe.tell("go")
      for _ in 0..<Int.random(in: 0...2_000) { _ = fixture.defaults.integer(forKey: "step.0") }
      probe.kill()
      let found = values()
      #expect(found == Array(0..<20) || found == Array(1...20), "round \(round): \(found)")
    }
  }
}
