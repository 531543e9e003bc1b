import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Histories of one domain over several starts of the machine, with kills and power cuts between.
@Suite(.serialized) struct RestartCrashSlowTests {
  /// Where only memory is the machine's own, a cut takes what no earlier life had synchronized.
  private static let kinds = FaultMachine.Kind.allCases.filter { $0 != .sharedInMemory }

  // S-17, S-3, S-4, S-5
  @Test(arguments: [false, true], Self.kinds)
  func `what one boot stored survives every later one`(
    hasTwoBootIDs: Bool, kind: FaultMachine.Kind
  ) throws {
    var ends: [History.End: Int] = [:]
    let count: UInt64 = kind == .ordinary ? 1_000 : 200
    for seed in 1...count {
      let history = History(
        seed: seed, hasTwoBootIDs: hasTwoBootIDs,
        on: FaultMachine(kind))
      for life in 1...6 {
        let end = try history.live()
        ends[end, default: 0] += 1
        try #require(
          history.complaint == nil,
          "seed \(seed), life \(life), ended by \(end): \(history.complaint ?? "")")
      }
    }
    for end in History.End.allCases { #expect(ends[end, default: 0] > count) }
  }

  // S-17, S-4
  @Test func `what is set after a restart with records pending survives the next one`() throws {
    let first = FaultMachine()
    try first.process().store(at: CrashScript.paths).set(.integer(1), forKey: "k1")
    for isSynchronized in [false, true] {
      let second = first.afterRestart()
      let store = second.process().store(at: CrashScript.paths)
      try store.set(.integer(2), forKey: "k2")
      if isSynchronized { #expect(store.synchronize()) }
      let third = second.afterRestart().process().store(at: CrashScript.paths)
      #expect(third.snapshot().values == ["k1": .integer(1), "k2": .integer(2)])
      #expect(third.issues == [])
    }
  }

  // S-17, S-2
  @Test func `processes that know different boot ids see each other's sets`() throws {
    let machine = FaultMachine()
    let stores = [
      machine.process().store(at: CrashScript.paths),
      machine.process(boot: 1_000).store(at: CrashScript.paths),
    ]
    var expected: [String: PropertyListValue] = [:]
    for number in 0..<200 {
      let value = PropertyListValue.integer(Int64(number))
      try stores[number % 2].set(value, forKey: "key.\(number)")
      expected["key.\(number)"] = value
      #expect(stores[(number + 1) % 2].value(forKey: "key.\(number)") == value)
    }
    let left = machine.afterDeath().process().store(at: CrashScript.paths)
    #expect(left.snapshot().values == expected)
  }
}

/// What happens to one domain, one life of the machine after the other.
private final class History {
  /// How a life ends.
  enum End: CaseIterable { case kill, restart, cut }

  private var machine: FaultMachine
  private var generator: SeededGenerator
  private var state: [String: PropertyListValue] = [:]
  private let hasTwoBootIDs: Bool
  private(set) var complaint: String?

  init(seed: UInt64, hasTwoBootIDs: Bool, on machine: FaultMachine) {
    self.machine = machine
    generator = SeededGenerator(seed: seed)
    self.hasTwoBootIDs = hasTwoBootIDs
  }

  /// Two processes use the domain until, before some operation, all ends.
  func live() throws -> End {
    let script = CrashScript(
      seed: .random(in: 0 ... .max, using: &generator), on: machine, from: state,
      secondBoot: hasTwoBootIDs ? 1_000 + machine.boot : nil)
    let fatal = machine.calls + Int.random(in: 1...60, using: &generator)
    let end = End.allCases.randomElement(using: &generator) ?? .kill
    var left: FaultMachine?
    machine.beforeCall = { [unowned self] call, _ in
      if call == fatal { left = self.left(by: script, end) }
    }
    try script.run(steps: Int.random(in: 1...20, using: &generator))
    machine.beforeCall = nil
    machine = left ?? self.left(by: script, end)
    return end
  }

  /// The machine after the end, and what is found on it.
  private func left(by script: CrashScript, _ end: End) -> FaultMachine {
    let left =
      switch end {
      case .kill: machine.afterDeath()
      case .restart: machine.afterRestart()
      case .cut: machine.afterPowerCut(using: &generator)
      }
    let lasting = end == .cut ? script.synced : script.states.count - 1
    let allowed = Array(script.states[lasting...]) + [script.inFlight].compactMap { $0 }
    // The next life begins with the files as they are, not with what this look makes of them.
    let store = left.afterDeath().process().store(at: CrashScript.paths)
    let found = store.snapshot().values
    if !allowed.contains(found) {
      let differences = allowed.map { Self.difference(found, $0) }
      complaint = "found none of \(allowed.count) states; \(differences); \(store.issues)"
    } else if let issue = store.issues.first {
      complaint = "\(issue)"
    }
    state = found
    return left
  }

  /// The keys in which the two differ.
  private static func difference(
    _ found: [String: PropertyListValue], _ expected: [String: PropertyListValue]
  ) -> [String] {
    Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }.sorted().map {
      "\($0): \(found[$0].map { "\($0)".prefix(60) } ?? "-") for "
        + "\(expected[$0].map { "\($0)".prefix(60) } ?? "-")"
    }
  }
}
