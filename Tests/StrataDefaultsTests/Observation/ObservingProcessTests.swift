import Foundation
import StrataTesting
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// Changes that another process makes.
@Suite(.serialized, .waiting) struct ObservingProcessTests {
  private let fixture: DefaultsFixture

  init() throws { fixture = try DefaultsFixture() }

  private final class Ear: Sendable {
    private let heard = Guarded<[(value: Int?, isMain: Bool, isLocal: Bool)]>([])
    var all: [(value: Int?, isMain: Bool, isLocal: Bool)] { heard.withLock { $0 } }

    func hear(_ change: UserDefaults.KeyChange<Int>) {
      heard.withLock { $0.append((change.new, Thread.isMainThread, change.isLocal)) }
    }
  }

  // S-14
  @Test func `a child of a fork hears of its own sets, whatever the parent was about`()
    throws
  {
    let probe = try ProbeProcess.serving(fixture)
    #expect(try probe.ask("fork-in-call") == "2")
  }

  // S-14
  @Test func `forks and threads that add and remove observers do not lock each other up`() throws {
    let probe = try ProbeProcess.serving(fixture)
    #expect(try probe.ask("fork-while-observing", within: 600) == "ok")
  }

  // O-6, O-7
  @Test func `of a thousand changes the last is told last, none twice and none out of order`()
    throws
  {
    let probe = try ProbeProcess.serving(fixture)
    let ear = Ear()
    let token = fixture.defaults.observe("a", change: ear.hear)
    for number in 1...1_000 { try probe.ask("set", "a", "integer", "\(number)") }
    #expect(eventually { ear.all.last?.value == 1_000 })
    let values = ear.all.compactMap(\.value)
    #expect(values == values.sorted())
    #expect(Set(values).count == values.count)
    #expect(ear.all.allSatisfy { !$0.isMain && !$0.isLocal })
    token.cancel()
    try probe.ask("set", "a", "integer", "0")
    #expect(ear.all.last?.value == 1_000)
  }

  // O-6
  @Test func `an edit of the file is told`() throws {
    let ear = Ear()
    fixture.defaults.set(1, forKey: "a")
    fixture.flush()
    let token = fixture.defaults.observe("a", change: ear.hear)
    let edit = try PropertyListSerialization.data(
      fromPropertyList: ["a": 2], format: .xml, options: 0)
    try edit.write(to: URL(fileURLWithPath: fixture.plist))
    #expect(eventually { ear.all.last?.value == 2 })
    try FileManager.default.removeItem(atPath: fixture.plist)
    #expect(eventually { ear.all.last.map { $0.value == nil } ?? false })
    token.cancel()
  }

  // O-9
  @Test func `a process that observes nothing has no thread, and one that does sleeps`() throws {
    let probe = try ProbeProcess.serving(fixture)
    try probe.ask("get", "integer", "a")
    let other = OtherProcess(probe.pid)
    let before = try other.threads()
    for index in 0..<100 { try probe.ask("watch", "key\(index)") }
    #expect(try other.threads() == before + 1)
    #expect(try other.wakeUps(during: 10) == 0)
    try probe.ask("unwatch")
    #expect(eventually { ((try? other.threads()) ?? 0) == before })
  }
}

private func eventually(within seconds: Double = 600, _ condition: () -> Bool) -> Bool {
  let end = Date(timeIntervalSinceNow: seconds)
  while Date() < end {
    if condition() { return true }
    poll(nil, 0, 1)
  }
  return condition()
}
