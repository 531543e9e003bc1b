import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A process is stopped before any look or change and at any moment of an append, for as long as
/// another one reads, sets and makes durable; then it goes on.
@Suite(.serialized) struct StopCrashTests {
  /// Where only memory is the machine's own, who synchronizes waits for the property list, and
  /// says in the end that it is not there.
  private static let kinds = FaultMachine.Kind.allCases.filter { $0 != .sharedInMemory }

  // S-18, S-2, S-3, S-6
  @Test(arguments: Self.kinds, [true, false])
  func `a stopped process holds nobody up and undoes nothing when it goes on`(
    kind: FaultMachine.Kind, othersFlush: Bool
  ) throws {
    let calls = try Pause(kind).run(stoppingAt: [])
    try #require(calls > 50)
    for call in 1...calls {
      let pause = Pause(kind)
      pause.othersFlush = othersFlush
      _ = try pause.run(stoppingAt: [call])
      try #require(pause.complaint == nil, "stopped before call \(call): \(pause.complaint ?? "")")
    }
  }

  // S-18, S-6
  @Test(arguments: Self.kinds)
  func `of two stopped processes neither undoes what a third one set`(
    kind: FaultMachine.Kind
  ) throws {
    let calls = try Pause(kind).run(stoppingAt: [])
    for call in stride(from: 1, through: calls, by: kind == .ordinary ? 3 : 6) {
      for distance in [1, 2, 5, 9] {
        let pause = Pause(kind)
        _ = try pause.run(stoppingAt: [call, call + distance])
        try #require(
          pause.complaint == nil,
          "stopped before calls \(call) and \(call + distance): \(pause.complaint ?? "")")
      }
    }
  }
}

private final class Pause {
  private let machine: FaultMachine
  private let stores: [Store]
  private var stops: [Int] = []
  /// How many processes are stopped; those of higher numbers run.
  private var depth = 0
  private var calls = 0
  /// Whether those who run meanwhile write the property list, too, and not only the journal.
  var othersFlush = true
  private(set) var complaint: String?
  /// What the last of its sets to return gave each process's own key.
  private var own: [String: PropertyListValue] = [:]

  init(_ kind: FaultMachine.Kind) {
    machine = FaultMachine(kind)
    stores = (0..<3).map { [machine] _ in machine.process().store(at: CrashScript.paths) }
    for store in stores { store.step = { [machine] in machine.note("append \($0)") } }
  }

  func run(stoppingAt stops: [Int]) throws -> Int {
    self.stops = stops
    try machine.process().store(at: CrashScript.paths).set(.integer(0), forKey: "p0")
    own["p0"] = .integer(0)
    machine.beforeCall = { [unowned self] _, name in pass(name) }
    machine.beforeLook = { [unowned self] call in pass("\(call)") }
    try live(stores[0], "p0")
    machine.beforeCall = nil
    machine.beforeLook = nil
    look(machine.process().store(at: CrashScript.paths), "a new process")
    if !stores[0].flush() { complain("no flush: \(stores[0].issues)") }
    look(machine.afterDeath().process().store(at: CrashScript.paths), "after the end")
    for (number, store) in stores.enumerated() {
      // That one holds up another is right, if this takes its time.
      let issues = store.issues.filter { $0.kind != .waiting }
      if !issues.isEmpty { complain("process \(number): \(issues)") }
    }
    return calls
  }

  private func pass(_ name: String) {
    if depth == 0 { calls += 1 }
    guard depth < stops.count, depth < 2, complaint == nil else { return }
    stop(before: name)
  }

  private var innerCalls = 0

  private func stop(before name: String) {
    if depth == 0 {
      guard calls == stops[0] else { return }
      innerCalls = 0
    } else {
      innerCalls += 1
      guard innerCalls == stops[1] - stops[0] else { return }
    }
    depth += 1
    let store = stores[depth]
    do { try live(store, "p\(depth)") } catch { complain("\(error)") }
    look(store, "process \(depth), while another is stopped before \(name)")
    depth -= 1
  }

  private func live(_ store: Store, _ key: String) throws {
    for round in Int64(1)...2 {
      if depth > 0 { try set(store, key, Self.large) }
      try set(store, key, .integer(10 + round))
      look(store, key)
      if depth == 0 { store.flush() } else if othersFlush { _ = store.checkpoint() }
      try set(store, key, .integer(20 + round))
      if !store.synchronize() { complain("\(key): not synchronized: \(store.issues)") }
      look(store, key)
    }
  }

  /// For which the journal must grow.
  private static let large = PropertyListValue.data([UInt8](repeating: 1, count: 70_000))

  private func set(_ store: Store, _ key: String, _ value: PropertyListValue) throws {
    own[key] = nil  // anything, while it is under way
    try store.set(value, forKey: key)
    own[key] = value
  }

  private func look(_ store: Store, _ who: String) {
    let values = store.snapshot().values
    for (key, value) in own where values[key] != value {
      complain("\(who) finds \(values[key].map { "\($0)" } ?? "nothing") for \(key), not \(value)")
    }
  }

  private func complain(_ text: String) { complaint = complaint ?? text }
}
