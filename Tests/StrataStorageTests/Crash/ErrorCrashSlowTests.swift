import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Every call fails, once or from then on, with each number that a disk or the kernel gives.
@Suite(.serialized) struct ErrorCrashSlowTests {
  private static let codes = [ENOSPC, EIO, EROFS, EDQUOT, EACCES, EMFILE, ENOMEM]

  // S-10
  @Test(arguments: codes, [true, false])
  func `no error of the disk loses a value or shows a wrong one`(
    code: Int32, isLasting: Bool
  ) throws {
    try live(processes: 1, code, isLasting)
  }

  // S-10, S-3
  @Test(arguments: codes, [true, false])
  func `no error that one process meets loses what another one sets`(
    code: Int32, isLasting: Bool
  ) throws {
    try live(processes: 2, code, isLasting)
  }

  private func live(processes: Int, _ code: Int32, _ isLasting: Bool) throws {
    for seed in UInt64(1)...2 {
      let calls = try Life(seed: seed, processes: processes).run(
        failing: { _ in false }, code: code)
      try #require(calls > 10)
      for failing in 1...calls {
        let life = Life(seed: seed, processes: processes)
        try life.run(failing: { isLasting ? $0 >= failing : $0 == failing }, code: code)
        if let complaint = life.complaint {
          Issue.record("seed \(seed), call \(failing) (\(life.failed)), \(complaint)")
          return
        }
      }
    }
  }

  /// Who synchronizes after others, or it itself, could not.
  enum Synchronizer: CaseIterable {
    case same, flushing, resting, other
  }

  // S-4, S-10
  @Test(arguments: Synchronizer.allCases)
  func `what is synchronized after a failure survives a power cut`(
    synchronizer: Synchronizer
  ) throws {
    for seed in UInt64(1)...50 {
      var generator = SeededGenerator(seed: seed)
      let machine = FaultMachine()
      var process = machine.process()
      var store = process.store(at: CrashScript.paths)
      var failing = false
      var chance = SeededGenerator(seed: seed)
      machine.error = { _, name, _ in
        guard failing, name.hasPrefix("sync") else { return nil }
        return synchronizer == .flushing && Bool.random(using: &chance) ? nil : EIO
      }
      var calls = 0
      for number in 0..<20 {
        failing = Int.random(in: 0..<3, using: &generator) == 0
        // Larger than a page, so that later sets leave pages alone that failed.
        let value = PropertyListValue.data([UInt8](repeating: UInt8(number), count: 5_000))
        try store.set(value, forKey: "a.\(number)")
        switch synchronizer {
        case .same: break
        case .flushing: if failing { store.flush() }
        case .resting: _ = store.rest()
        case .other:
          process = machine.process()
          store = process.store(at: CrashScript.paths)
        }
        guard store.synchronize() else { continue }
        calls += 1
        // All but what could be stored in the memory of a process only that is gone.
        let expected = store.snapshot().values
        #expect(synchronizer == .other || expected.count == number + 1)
        let left = machine.afterPowerCut(using: &generator)
        let found = left.process().store(at: CrashScript.paths).snapshot().values
        try #require(found == expected, "seed \(seed), step \(number): \(found.keys)")
      }
      try #require(calls > 0)
    }
  }

  // S-4, S-20
  @Test func `after a failure what can't go to the property list goes to another journal`() throws {
    let machine = FaultMachine()
    let store = machine.process().store(at: CrashScript.paths)
    try store.set(.integer(1), forKey: "a")
    #expect(store.synchronize())
    var isFailing = true
    machine.error = { _, name, _ in
      if isFailing, name.hasPrefix("sync") { return EIO }
      return name == "rename \(CrashScript.paths.plist)" ? EBUSY : nil
    }
    try store.set(.integer(2), forKey: "a")
    #expect(!store.synchronize())
    isFailing = false
    #expect(store.synchronize())
    var generator = SeededGenerator(seed: 1)
    let left = machine.afterPowerCut(using: &generator).process().store(at: CrashScript.paths)
    #expect(left.integer(forKey: "a") == 2)
  }

  // S-4, S-10
  @Test(arguments: ["/", "/home"])
  func `directories of others that this user may not open are theirs to make durable`(
    directory: String
  ) throws {
    let machine = FaultMachine()
    machine.makeParents(of: CrashScript.paths.directory)
    machine.foreignDirectories = [directory]
    machine.error = { _, name, _ in name == "sync directory \(directory)" ? EACCES : nil }
    let store = machine.process().store(at: CrashScript.paths)
    try store.set(.integer(1), forKey: "a")
    #expect(store.synchronize() && store.flush())
    #expect(store.issues.isEmpty)
  }

  // S-10
  @Test func `where every new journal is lost at once, too, what is set waits in memory`() throws {
    let machine = FaultMachine()
    let store = machine.process().store(at: CrashScript.paths)
    try store.set(.integer(0), forKey: "a")
    machine.losesMappings = true
    for number in Int64(1)...3 {
      try store.set(.integer(number), forKey: "a")
      #expect(store.integer(forKey: "a") == number)
      #expect(!store.synchronize())
    }
    #expect(store.issues.contains { $0.kind == .notStored })
    machine.losesMappings = false
    #expect(store.synchronize())
    #expect(!store.issues.contains { $0.kind == .notStored })
    let other = machine.process().store(at: CrashScript.paths)
    #expect(other.integer(forKey: "a") == 3)
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
