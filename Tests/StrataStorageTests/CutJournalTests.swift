import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A journal that somebody cuts off in use, and that a process then makes longer again: zeros would
/// take the place of what was there, and nobody would notice.
@Suite struct CutJournalTests {
  private let machine = FaultMachine()
  private let paths = CrashScript.paths

  /// Leaves the head and the word, without a word to anyone.
  private func cut() {
    guard let journal = machine.names[paths.journal] else { return }
    journal.setContents(Array(journal.bytes.prefix(JournalLayout.recordsStart)))
  }

  // S-3, S-9
  @Test func `a set whose journal is overwritten meanwhile is stored when it returns`() throws {
    let store = machine.process().store(at: paths)
    try store.set(.integer(1), forKey: "a")
    store.step = { [machine, paths] step in
      guard step == .marked, let journal = machine.names[paths.journal] else { return }
      store.step = nil
      journal.setContents([UInt8](repeating: 0, count: journal.size))
    }
    try store.set(.integer(2), forKey: "b")
    #expect(store.step == nil)
    let fresh = machine.afterDeath().process().store(at: paths)
    #expect(fresh.snapshot().values == ["a": .integer(1), "b": .integer(2)])
  }

  // S-3, S-9, S-11
  @Test(arguments: [false, true])
  func `what is known of a journal that was cut off is not lost when it must grow`(
    isInTheMiddle: Bool
  ) throws {
    let stores = [machine.process().store(at: paths), machine.process().store(at: paths)]
    var expected: [String: PropertyListValue] = [:]
    for number in 0..<40 {
      expected["key\(number)"] = .string("value \(number)")
      try stores[number % 2].set(.string("value \(number)"), forKey: "key\(number)")
    }
    for store in stores { #expect(store.snapshot().values == expected) }
    if isInTheMiddle {
      // After the look at its size.
      machine.beforeCall = { [machine] _, call in
        guard call.hasPrefix("extend") else { return }
        machine.beforeCall = nil
        cut()
      }
    } else {
      cut()
    }
    expected["large"] = .string(String(repeating: "x", count: JournalLayout.growthMin))
    try stores[0].set(expected["large"], forKey: "large")
    #expect(machine.beforeCall == nil)
    for store in stores { #expect(store.snapshot().values == expected) }
    let fresh = machine.afterDeath().process().store(at: paths)
    #expect(fresh.snapshot().values == expected)
    try stores[1].set(.integer(1), forKey: "after")
    #expect(stores[0].integer(forKey: "after") == 1)
  }
}
