import Foundation
import StrataTesting
import Testing

@testable import StrataDefaults
@testable import StrataDomains
@testable import class StrataDefaults.UserDefaults

/// Observers that come, go, set and are released on many threads at once.
@Suite struct ObservingConcurrencyTests {
  private let fixture: DefaultsFixture
  private var defaults: UserDefaults { fixture.defaults }

  private static let rounds = 300

  init() throws { fixture = try DefaultsFixture() }

  private func run(_ bodies: [@Sendable (Int) -> Void]) {
    DispatchQueue.concurrentPerform(iterations: bodies.count) { index in
      for round in 0..<Self.rounds { bodies[index](round) }
    }
  }

  // O-5, O-10
  @Test func `observers come and go while others set, and none is called after its end`() {
    let late = Guarded(0)
    let come: @Sendable (Int) -> Void = { [fixture] round in
      let isEnded = Guarded(false)
      let home = ObjectIdentifier(Thread.current)
      let token = fixture.defaults.observe("key\(round % 3)") {
        (_: UserDefaults.KeyChange<Int>) in
        // On other threads a call that has begun may still run.
        if isEnded.withLock({ $0 }), ObjectIdentifier(Thread.current) == home {
          late.withLock { $0 += 1 }
        }
      }
      fixture.defaults.set(-round - 1, forKey: "key\(round % 3)")
      token.cancel()
      isEnded.withLock { $0 = true }
      fixture.defaults.set(-round - 2, forKey: "key\(round % 3)")
    }
    let set: @Sendable (Int) -> Void = { [fixture] round in
      for key in 0..<3 { fixture.defaults.set(round, forKey: "key\(key)") }
    }
    run([come, come, set, set])
    #expect(late.withLock { $0 } == 0)
    #expect(!fixture.process.isObserved)
  }

  // O-5
  @Test func `observers that set and remove each other lock nothing up`() {
    let body: @Sendable (Int) -> Void = { [fixture] round in
      let others = Guarded<[UserDefaults.KeyObservation]>([])
      let first = fixture.defaults.observe("a") { (change: UserDefaults.KeyChange<Int>) in
        others.withLock { $0.removeAll() }
        if let new = change.new, new < 0 { fixture.defaults.set(-new, forKey: "b") }
      }
      let second = fixture.defaults.observe("b", options: [.initial, .prior]) {
        (_: UserDefaults.KeyChange<Int>) in
        _ = fixture.defaults.integer(forKey: "a")
      }
      others.withLock { $0.append(second) }
      fixture.defaults.set(-round, forKey: "a")
      fixture.defaults.set(round, forKey: "b")
      first.cancel()
    }
    run([body, body, body])
    #expect(!fixture.process.isObserved)
  }

  // O-6
  @Test func `whoever comes while the last one goes hears of other processes`() throws {
    let probe = try ProbeProcess.serving(fixture)
    run(
      Array(
        repeating: { [fixture] _ in
          fixture.defaults.observe("other") { (_: UserDefaults.KeyChange<Int>) in }.cancel()
        }, count: 3))
    let heard = Gate("told of another process")
    let token = defaults.observe("a") { (_: UserDefaults.KeyChange<Int>) in heard.open() }
    run(
      Array(
        repeating: { [fixture] _ in
          fixture.defaults.observe("other") { (_: UserDefaults.KeyChange<Int>) in }.cancel()
        }, count: 3))
    try probe.ask("set", "a", "integer", "1")
    heard.wait()
    token.cancel()
  }

  // O-6, O-7
  @Test func `what many threads set arrives in order and ends with what is there`() {
    let last = Guarded<Int?>(nil)
    let faults = Guarded(0)
    let token = defaults.observe("a") { (change: UserDefaults.KeyChange<Int>) in
      last.withLock {
        if change.old != $0 { faults.withLock { $0 += 1 } }
        $0 = change.new
      }
    }
    let set: @Sendable (Int) -> Void = { [fixture] in fixture.defaults.set($0, forKey: "a") }
    run([set, set, set, set])
    #expect(faults.withLock { $0 } == 0, "each old value is the new one of the call before")
    #expect(last.withLock { $0 } == defaults.integer(forKey: "a"))
    token.cancel()
  }

  // O-1
  @Test func `a property of two keys ends with what is there`() {
    let last = Guarded<Int?>(nil)
    let observation = defaults.observe(\.sum, options: .new) { _, change in
      last.withLock { $0 = change.newValue }
    }
    run(
      ["a", "b", "a"].map { key in
        { [fixture] in fixture.defaults.set($0 + 1, forKey: key) }
      })
    #expect(last.withLock { $0 } == defaults.sum)
    observation.invalidate()
  }

  private final class Ruler: KeyValueObserver, @unchecked Sendable {}

  // O-10
  @Test func `objects that die at the same moment end their observation, and lock nothing up`() {
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [fixture] in
      for _ in 0..<5_000 {
        let rulers = (0..<4).map { _ in
          let ruler = Ruler()
          fixture.defaults.addObserver(ruler, forKeyPath: "a", options: [], context: nil)
          return Unmanaged.passRetained(ruler)
        }
        DispatchQueue.concurrentPerform(iterations: 2) { half in
          for ruler in rulers[(2 * half)..<(2 * half + 2)] { ruler.release() }
        }
      }
      end.signal()
    }
    // On another thread, since one that waits for itself can't be ended.
    guard end.wait(timeout: .now() + 1_800) == .success else {
      Issue.record("they wait for each other")
      return
    }
    #expect(defaults.stack.observerList.count == 0)
    #expect(!fixture.process.isObserved)
  }

  // O-5, O-10
  @Test func `who is removed on one thread while another one adds it is not left behind`() {
    let ruler = Ruler()
    DispatchQueue.concurrentPerform(iterations: 2) { [fixture] _ in
      for _ in 0..<5_000 {
        fixture.defaults.addObserver(ruler, forKeyPath: "a", options: [], context: nil)
        fixture.defaults.removeObserver(ruler, forKeyPath: "a")
      }
    }
    #expect(defaults.stack.observerList.count == 0)
    #expect(!fixture.process.isObserved)
  }
}

private extension UserDefaults {
  var sum: Int { integer(forKey: "a") + integer(forKey: "b") }
}
