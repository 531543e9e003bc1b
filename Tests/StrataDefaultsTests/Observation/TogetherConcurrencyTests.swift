import Foundation
import StrataDomains
import StrataPropertyList
import StrataTesting
import Synchronization
import Testing

@testable import StrataDefaults
@testable import StrataStorage
@testable import class StrataDefaults.UserDefaults

/// This object, another one and another process set the same keys at once.
@Suite struct TogetherConcurrencyTests {
  private let fixture: DefaultsFixture
  private var defaults: UserDefaults { fixture.defaults }
  /// What another process has: another store over the same files.
  private let elsewhere: Store

  private static let rounds = 2_000

  init() throws {
    fixture = try DefaultsFixture()
    let identifier = try DomainIdentifier(DefaultsFixture.identifier, isSetUID: false)
    let paths = try #require(
      fixture.process.places.stores(of: identifier, in: .application).first)
    elsewhere = StorageProcess(on: SystemFileSystem(), isAutomatic: false, feedMode: .chosen).store(
      at: paths)
  }

  /// Runs each body on a thread of its own: a pool has no more than there are processors.
  private func run(_ bodies: (@Sendable (Int) -> Void)...) {
    let end = Gate("end of all rounds")
    for body in bodies {
      Thread.detachNewThread {
        for round in 1...Self.rounds { body(round) }
        end.open()
      }
    }
    for _ in bodies { end.wait() }
  }

  private func setElsewhere(_ values: [String: PropertyListValue]) {
    do {
      try elsewhere.apply(ChangeSet(values.map { Change(key: $0.key, value: $0.value) }))
    } catch {
      Issue.record(error)
    }
  }

  // O-6
  @Test func `nobody's change is taken for another's, however close they come`() {
    let faults = Guarded<[String]>([])
    let last = Guarded<String?>(nil)
    let told = defaults.observe("a") { (change: UserDefaults.KeyChange<String>) in
      let new = change.new ?? "-"
      if change.isOwn != new.hasPrefix("own") || change.isLocal != !new.hasPrefix("other") {
        faults.withLock { $0.append("\(new): own \(change.isOwn), local \(change.isLocal)") }
      }
    }
    let others = defaults.observe("a", ignoringOwn: true) {
      (change: UserDefaults.KeyChange<String>) in
      if change.new?.hasPrefix("own") == true {
        faults.withLock { $0.append("told of \(change.new ?? "-")") }
      }
      last.withLock { $0 = change.new }
    }
    let twin = UserDefaults(on: defaults.stack)
    run(
      { [fixture] in fixture.defaults.set("own \($0)", forKey: "a") },
      { twin.set("twin \($0)", forKey: "a") },
      { [self] in setElsewhere(["a": .string("other \($0)")]) })
    #expect(faults.withLock { $0 }.isEmpty)
    setElsewhere(["a": .string("other at last")])
    let end = Date(timeIntervalSinceNow: 600)
    while last.withLock({ $0 }) != "other at last", Date() < end { poll(nil, 0, 1) }
    #expect(last.withLock { $0 } == "other at last")
    told.cancel()
    others.cancel()
  }

  // O-2, S-5
  @Test func `what was set at one moment is told at one moment`() async {
    let torn = Guarded<[[String: Int]]>([])
    let note: @Sendable ([String: Int]) -> Void = { told in
      if told["a"] != told["b"] { torn.withLock { $0.append(told) } }
    }
    let reader = Task { [fixture] in
      for await told in fixture.defaults.values(forKeys: ["a", "b"], as: Int.self) {
        note(told)
        if told["end"] != nil || told["a"] == 0 { break }
      }
    }
    let come: @Sendable (Int) -> Void = { [fixture] _ in
      let ear = Observer(["a", "b"], deliversInitial: true) { change in
        if change.new[0] != change.new[1] { torn.withLock { $0.append([:]) } }
      }
      fixture.defaults.stack.add(ear)
      fixture.defaults.stack.remove(ear)
    }
    run(
      { [fixture] round in
        fixture.defaults.transaction {
          $0["a"] = .integer(Int64(round))
          $0["b"] = .integer(Int64(round))
        }
      },
      { [self] in setElsewhere(["a": .integer(Int64(-$0)), "b": .integer(Int64(-$0))]) },
      come)
    setElsewhere(["a": .integer(0), "b": .integer(0)])
    await reader.value
    #expect(torn.withLock { $0 }.isEmpty)
  }

  // O-5
  @Test func `an observer hears of what is set after it came, also when it came second`() {
    let late = Guarded(0)
    let begun = Atomic<Int>(0)
    let set: @Sendable (Int) -> Void = { [fixture] round in
      // Both begin at once, so that one of them is the first.
      begun.wrappingAdd(1, ordering: .sequentiallyConsistent)
      while begun.load(ordering: .sequentiallyConsistent) < 2 * round { sched_yield() }
      let key = ObjectIdentifier(Thread.current).debugDescription
      let isTold = Guarded(false)
      let token = fixture.defaults.observe(key) { (change: UserDefaults.KeyChange<Int>) in
        isTold.withLock { $0 = change.isLocal }
      }
      fixture.defaults.set(round, forKey: key)
      if !isTold.withLock({ $0 }) { late.withLock { $0 += 1 } }
      token.cancel()
    }
    run(set, set)
    #expect(late.withLock { $0 } == 0)
  }
}
