import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Dies at every disk operation and at every moment of an append, for many seeds.
@Suite(.serialized) struct CrashSlowTests {
  /// Fewer where the file system can't trade names.
  static func seeds(_ kind: FaultMachine.Kind) -> ClosedRange<UInt64> {
    1...(kind == .ordinary ? 200 : 40)
  }

  // S-3, S-5, S-6
  @Test(arguments: FaultMachine.Kind.allCases)
  func `a set that returned survives the death of all processes at any operation`(
    kind: FaultMachine.Kind
  ) throws {
    var images = 0
    let seeds = Self.seeds(kind)
    for seed in seeds {
      let script = CrashScript(
        seed: seed, on: FaultMachine(kind))
      var failure: String?
      script.machine.beforeCall = { call, name in
        guard failure == nil else { return }
        images += 1
        let found = Self.open(script.machine.afterDeath())
        let allowed = [script.states.last, script.inFlight].compactMap { $0 }
        failure = Self.judge(found, allowed, "seed \(seed), call \(call): \(name)")
      }
      defer { script.machine.beforeCall = nil }
      try script.run(steps: 40)
      try #require(failure == nil, "\(failure ?? "")")
    }
    #expect(images > seeds.count * 40)
  }

  // S-4, S-5
  @Test(arguments: FaultMachine.Kind.allCases)
  func `a power cut at any operation leaves a prefix that holds all that was synchronized`(
    kind: FaultMachine.Kind
  ) throws {
    var images = 0
    let seeds = Self.seeds(kind)
    for seed in seeds {
      let script = CrashScript(
        seed: seed, on: FaultMachine(kind))
      var generator = SeededGenerator(seed: seed ^ 0xFFFF)
      var failure: String?
      script.machine.beforeCall = { call, name in
        guard failure == nil else { return }
        images += 1
        let found = Self.open(script.machine.afterPowerCut(using: &generator))
        let allowed =
          Array(script.states[script.synced...]) + [script.inFlight].compactMap { $0 }
        failure = Self.judge(
          found, allowed, "seed \(seed), call \(call): \(name), synced \(script.synced)")
      }
      defer { script.machine.beforeCall = nil }
      try script.run(steps: 40)
      try #require(failure == nil, "\(failure ?? "")")
    }
    #expect(images > seeds.count * 40)
  }

  // S-4
  @Test(arguments: FaultMachine.Kind.allCases, [false, true])
  func `what was synchronized survives although another process made the directories`(
    kind: FaultMachine.Kind, afterCheckpoint: Bool
  ) throws {
    for seed in Self.seeds(kind) {
      var generator = SeededGenerator(seed: seed)
      let machine = FaultMachine(kind)
      machine.makeParents(of: CrashScript.paths.journal)
      machine.unsyncedDirectories = machine.directories.subtracting(["/"])
      if afterCheckpoint {
        let other = machine.process().store(at: CrashScript.paths)
        try other.set(.integer(0), forKey: "a")
        try #require(other.flush())
      }
      let store = machine.process().store(at: CrashScript.paths)
      try store.set(.integer(1), forKey: "a")
      try #require(store.synchronize())
      let left = machine.afterPowerCut(using: &generator)
      let found = left.process().store(at: CrashScript.paths).integer(forKey: "a")
      try #require(found == 1, "seed \(seed)")
    }
  }

  /// What a process finds that opens the domain on what is left; and whether it can go on.
  private static func open(_ machine: FaultMachine) -> Found {
    let store = machine.process().store(at: CrashScript.paths)
    var found = Found(values: store.snapshot().values, issues: store.issues)
    do {
      try store.set(.string("after"), forKey: "recovered")
    } catch {
      found.complaints.append("a set after recovery: \(error)")
    }
    found.complaints += complaints(machine, .broken)
    if !store.flush() { found.complaints.append("no flush after recovery: \(store.issues)") }
    let again = machine.process().store(at: CrashScript.paths).snapshot().values
    var expected = found.values
    expected["recovered"] = .string("after")
    if again != expected { found.complaints.append("after the next flush: \(again)") }
    found.complaints += complaints(machine, .unfinished)
    return found
  }

  /// What the check says: nothing broken ever, and nothing unfinished after a flush.
  private static func complaints(
    _ machine: FaultMachine, _ worst: StoreCheck.Finding.Severity
  ) -> [String] {
    StoreCheck(CrashScript.paths, on: FaultDisk(on: machine, process: 99)).findings
      .filter { $0.severity == .broken || worst == .unfinished }.map(\.description)
  }

  private struct Found {
    let values: [String: PropertyListValue]
    let issues: [StorageIssue]
    var complaints: [String] = []
  }

  private static func judge(
    _ found: Found, _ allowed: [[String: PropertyListValue]], _ place: String
  ) -> String? {
    if !allowed.contains(found.values) {
      return "\(place): found \(found.values), none of \(allowed.suffix(4))"
    }
    if let issue = found.issues.first { return "\(place): \(issue)" }
    return found.complaints.first.map { "\(place): \($0)" }
  }
}
