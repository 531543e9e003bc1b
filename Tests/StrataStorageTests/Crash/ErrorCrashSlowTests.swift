import Glibc
import PropertyListTesting
import StrataPropertyList
import Testing

@testable import StrataStorage

/// Every call that changes something fails, once or from then on, with each number that a disk
/// gives.
@Suite(.serialized) struct ErrorCrashSlowTests {
  // S-10
  @Test(arguments: [ENOSPC, EIO, EROFS, EDQUOT], [true, false])
  func `no error of the disk loses a value or shows a wrong one`(
    code: Int32, isLasting: Bool
  ) throws {
    for seed in UInt64(1)...8 {
      let calls = try Life(seed: seed).run(failing: { _ in false }, code: code)
      try #require(calls > 40)
      for failing in 1...calls {
        let life = Life(seed: seed)
        try life.run(failing: { isLasting ? $0 >= failing : $0 == failing }, code: code)
        if let complaint = life.complaint {
          Issue.record("seed \(seed), call \(failing), \(complaint)")
          return
        }
      }
    }
  }

  // S-4, S-10
  @Test func `what is synchronized after a failure survives a power cut`() throws {
    for seed in UInt64(1)...50 {
      var generator = SeededGenerator(seed: seed)
      let machine = FaultMachine()
      let store = machine.process().store(at: CrashScript.paths)
      var failing = false
      machine.error = { _, name, _ in failing && name.hasPrefix("sync") ? EIO : nil }
      var calls = 0
      for number in 0..<20 {
        failing = Int.random(in: 0..<3, using: &generator) == 0
        // Larger than a page, so that later sets leave pages alone that failed.
        let value = PropertyListValue.data([UInt8](repeating: UInt8(number), count: 5_000))
        try store.set(value, forKey: "a.\(number)")
        guard store.synchronize() else { continue }
        calls += 1
        let left = machine.afterPowerCut(using: &generator)
        let found = left.process().store(at: CrashScript.paths).snapshot().values
        try #require(found.count == number + 1, "seed \(seed), step \(number): \(found)")
      }
      try #require(calls > 0)
    }
  }

  // S-10
  @Test func `while nothing can be stored synchronize is false and an issue says why`() throws {
    let machine = FaultMachine()
    let store = machine.process().store(at: CrashScript.paths)
    machine.error = { _, _, _ in ENOSPC }
    try store.set(.integer(1), forKey: "a")
    #expect(store.integer(forKey: "a") == 1)
    #expect(!store.synchronize())
    #expect(store.issues.contains { $0.kind == .notStored })
    machine.error = nil
    #expect(store.synchronize())
    #expect(store.issues == [], "what is over is no issue any more")
    let other = machine.process().store(at: CrashScript.paths)
    #expect(other.integer(forKey: "a") == 1)
  }
}

/// One process that sets, removes, synchronizes and flushes, and checks what it reads.
private final class Life {
  private let machine = FaultMachine()
  private var generator: SeededGenerator
  private var expected: [String: PropertyListValue] = [:]
  private(set) var complaint: String?

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  @discardableResult
  func run(failing: @escaping (Int) -> Bool, code: Int32) throws -> Int {
    var calls = 0
    machine.error = { call, _, _ in
      calls = call
      return failing(call) ? code : nil
    }
    let store = machine.process().store(at: CrashScript.paths)
    for step in 0..<40 {
      try act(store, step)
      let found = store.snapshot().values
      if found != expected, complaint == nil {
        complaint = "step \(step): found \(found), not \(expected)"
      }
    }
    machine.error = nil
    if !store.flush(), complaint == nil { complaint = "no flush at the end: \(store.issues)" }
    let found = machine.process().store(at: CrashScript.paths).snapshot().values
    if found != expected, complaint == nil {
      complaint = "in the end found \(found), not \(expected)"
    }
    return calls
  }

  private func act(_ store: Store, _ step: Int) throws {
    let key = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
    switch Int.random(in: 0..<8, using: &generator) {
    case 0:
      try store.set(nil, forKey: key)
      expected[key] = nil
    case 1:
      _ = store.synchronize()
    case 2, 3:
      store.flush()
    default:
      let big = PropertyListValue.data([UInt8](repeating: UInt8(step), count: 30_000))
      let value = step.isMultiple(of: 5) ? big : PropertyListValue.integer(Int64(step))
      try store.set(value, forKey: key)
      expected[key] = value
    }
  }
}
