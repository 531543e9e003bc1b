import Dispatch
import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// One process dies in the middle of something, locks in hand; another one lives on.
@Suite(.serialized) struct SurvivorCrashTests {
  // S-3, S-6
  @Test(arguments: FaultMachine.Kind.allCases)
  func `whatever a process was doing when it died another one goes on at once`(
    kind: FaultMachine.Kind
  ) throws {
    let calls = try Duel(kind).run(dyingAt: Int.max)
    try #require(calls > 60)
    for call in 1...calls {
      let duel = Duel(kind)
      _ = try duel.run(dyingAt: call)
      let complaint = try duel.complaint()
      duel.end()
      if let complaint {
        Issue.record("dead before call \(call) (\(duel.lastCall)): \(complaint)")
        return
      }
    }
  }
}

private final class Duel: @unchecked Sendable {
  // Safety: the two threads take turns; the semaphores hand everything over.
  private let machine: FaultMachine
  private let mortal: Store
  private let survivor: Store
  private(set) var lastCall = ""
  private var states: [[String: PropertyListValue]] = [[:]]
  private var inFlight: [String: PropertyListValue]?
  private var calls = 0
  private var mayDie = true
  private let isDeadOrDone = DispatchSemaphore(value: 0)
  private let isOver = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)
  private var error: (any Error)?

  init(_ kind: FaultMachine.Kind) {
    machine = FaultMachine(kind)
    mortal = machine.process().store(at: CrashScript.paths)
    survivor = machine.process().store(at: CrashScript.paths)
    mortal.step = { [machine] in machine.note("append \($0)") }
  }

  /// Runs the mortal's life in a thread of its own until it ends, or stops for ever.
  func run(dyingAt fatal: Int) throws -> Int {
    try survivor.set(.integer(0), forKey: "old")
    states = [["old": .integer(0)]]
    machine.beforeCall = { [unowned self] _, name in
      guard self.mayDie else { return }
      calls += 1
      guard calls == fatal else { return }
      mayDie = false
      lastCall = name
      machine.kill(0)
      isDeadOrDone.signal()
      isOver.wait()
    }
    let thread = StrataStorage.Thread.start { [self] in
      do { try live() } catch { self.error = error }
      mayDie = false
      isDeadOrDone.signal()
      hasEnded.signal()
    }
    try #require(thread)
    isDeadOrDone.wait()
    if let error { throw error }
    return calls
  }

  private func live() throws {
    for round in 1...3 {
      for key in ["a", "b"] {
        try request(ChangeSet([Change(key: key, value: .integer(Int64(round)))]))
      }
      mortal.flush()
      try request(
        ChangeSet([Change(key: "only", value: .integer(Int64(round)))], replacesAll: round == 2))
      _ = mortal.synchronize()
    }
  }

  private func request(_ changes: ChangeSet) throws {
    var next = changes.replacesAll ? [:] : states[states.count - 1]
    for change in changes.changes { next[change.key] = change.value }
    inFlight = next
    try mortal.apply(changes)
    states.append(next)
    inFlight = nil
  }

  /// What the survivor and a newcomer see and can do.
  func complaint() throws -> String? {
    let allowed = [states.last, inFlight].compactMap { $0 }
    let seen = survivor.snapshot().values
    guard allowed.contains(seen) else { return "sees \(seen), none of \(allowed)" }
    try survivor.set(.integer(9), forKey: "mine")
    var expected = survivor.snapshot().values
    guard expected["mine"] == .integer(9) else { return "its own set is not there" }
    expected["mine"] = nil
    guard allowed.contains(expected) else { return "after a set \(expected), none of \(allowed)" }
    expected["mine"] = .integer(9)
    let newcomer = machine.process().store(at: CrashScript.paths)
    guard newcomer.snapshot().values == expected else {
      return "a newcomer sees \(newcomer.snapshot().values), not \(expected)"
    }
    if let complaint = complaintOfFlush(expected) { return complaint }
    guard survivor.synchronize() else { return "no synchronize: \(survivor.issues)" }
    let last = machine.process().store(at: CrashScript.paths).snapshot().values
    return last == expected ? nil : "after a flush \(last), not \(expected)"
  }

  /// Has the survivor flush, dying in its turn before each operation.
  private func complaintOfFlush(_ expected: [String: PropertyListValue]) -> String? {
    var complaint: String?
    machine.beforeCall = { [unowned self] call, name in
      guard complaint == nil else { return }
      let found = machine.afterDeath().process().store(at: CrashScript.paths).snapshot().values
      if found != expected { complaint = "dead again at \(name): \(found), not \(expected)" }
    }
    defer { machine.beforeCall = nil }
    if !survivor.flush(), complaint == nil { complaint = "no flush: \(survivor.issues)" }
    return complaint
  }

  /// Lets the dead thread run out, on a machine that nobody looks at any more.
  func end() {
    machine.beforeCall = nil
    isOver.signal()
    hasEnded.wait()
  }
}
