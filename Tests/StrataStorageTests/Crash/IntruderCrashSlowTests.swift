import StrataPropertyList
import StrataTesting
import Synchronization
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// While one process checkpoints, another one sets and synchronizes between any two of its disk
/// operations; then the power goes, at any later operation.
@Suite(.serialized) struct IntruderCrashSlowTests {
  // S-4, S-3
  @Test(arguments: [false, true])
  func `what was synchronized while another process checkpointed survives a power cut`(
    intruderCheckpoints: Bool
  ) throws {
    for seed in UInt64(1)...30 {
      let calls = try Intrusion(seed: seed, checkpoints: intruderCheckpoints).run(
        intrudingAt: Int.max)
      try #require(calls > 15)
      for call in 1...calls {
        let intrusion = Intrusion(seed: seed, checkpoints: intruderCheckpoints)
        _ = try intrusion.run(intrudingAt: call)
        if let complaint = intrusion.complaint {
          Issue.record("seed \(seed), set before call \(call), cut before \(complaint)")
          return
        }
      }
    }
  }
}

private final class Intrusion {
  private let machine = FaultMachine()
  private let owner: Store
  private let intruder: Store
  private var generator: SeededGenerator
  private var calls = 0
  private var isIntruding = false
  private var hasIntruded = false
  private(set) var complaint: String?

  private let checkpoints: Bool

  init(seed: UInt64, checkpoints: Bool) {
    self.checkpoints = checkpoints
    generator = SeededGenerator(seed: seed)
    owner = machine.process().store(at: CrashScript.paths)
    intruder = machine.process().store(at: CrashScript.paths)
  }

  func run(intrudingAt fatal: Int) throws -> Int {
    try owner.set(.integer(1), forKey: "old")
    _ = owner.synchronize()
    _ = intruder.value(forKey: "old")
    machine.beforeCall = { [unowned self] _, name in
      guard !isIntruding else { return }
      calls += 1
      if calls >= fatal && !hasIntruded { intrude() }
      judge(name)
    }
    owner.flush()
    try owner.set(.integer(2), forKey: "old")
    owner.flush()
    machine.beforeCall = nil
    return calls
  }

  private func intrude() {
    isIntruding = true
    defer { isIntruding = false }
    do { try intruder.set(.integer(7), forKey: "new") } catch { complaint = "\(error)" }
    hasIntruded = intruder.synchronize()
    if checkpoints { _ = intruder.checkpoint() }
  }

  private func judge(_ name: String) {
    guard hasIntruded, complaint == nil else { return }
    for image in [machine.afterPowerCut(using: &generator), machine.afterDeath()] {
      let found = image.process().store(at: CrashScript.paths).snapshot().values
      guard found["new"] == .integer(7), found["old"] != nil else {
        complaint = "call \(calls) (\(name)): found \(found)"
        return
      }
    }
  }
}
