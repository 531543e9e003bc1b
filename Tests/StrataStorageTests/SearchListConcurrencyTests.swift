import CStrata
import Glibc
import StrataPropertyList
import Synchronization
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Several domains searched as one, while they and their list change.
@Suite struct SearchListConcurrencyTests {
  private func memory(_ values: [String: Int64]) -> MemoryStore {
    MemoryStore(values.mapValues { .integer($0) })
  }

  // D-1
  @Test func `the first domain that has a key gives its value`() throws {
    let (first, second) = (memory(["a": 1]), memory(["a": 2, "b": 2]))
    let list = SearchList([.memory(first), .memory(second)])
    #expect(list.cachedValue("a") == .some(.integer(1)))
    #expect(list.cachedValue("b") == .some(.integer(2)))
    #expect(list.cachedValue("c") == .some(nil))
    first.apply(ChangeSet([Change(key: "a", value: nil)]))
    #expect(list.cachedValue("a") == .some(.integer(2)))
    list.replace(1) { _ in .memory(first) }
    #expect(list.cachedValue("b") == .some(nil))
  }

  // D-21
  @Test func `values that are found out when they are asked for are asked for once`() {
    let asked = Tally()
    let store = MemoryStore(keys: { ["a", "b"].forEach($0) }) {
      asked.count.wrappingAdd(1, ordering: .relaxed)
      return ["a": .integer(1)]
    }
    let list = SearchList([.memory(store)])
    #expect(list.search("other") == nil)
    #expect(list.cachedValue("other") == .some(nil))
    #expect(asked.count.load(ordering: .relaxed) == 0)
    #expect(list.cachedValue("a") == nil, "whoever asks must look with a lock")
    #expect(list.search("a") == .integer(1))
    #expect(list.cachedValue("a") == .some(.integer(1)))
    #expect(list.cachedValue("b") == .some(nil))
    #expect(asked.count.load(ordering: .relaxed) == 1)
  }

  // D-21
  @Test(.timeLimit(.minutes(30)))
  func `a value that is found out is there for all who ask at once`() async {
    for _ in 0..<500 {
      let store = MemoryStore(keys: { ["a", "b"].forEach($0) }) { ["a": .integer(1)] }
      let misses = await withTaskGroup(of: Int.self) { group in
        for key in ["other", "a", "a"] {
          group.addTask { store.value(forKey: key) == (key == "a" ? .integer(1) : nil) ? 0 : 1 }
        }
        return await group.reduce(0, +)
      }
      #expect(misses == 0)
    }
  }

  private final class Tally: Sendable {
    let count = Atomic<Int>(0)
  }

  // V-28, D-19
  @Test func `a change of many keys in memory is seen whole or not at all`() async {
    let store = memory(["a": 0, "b": 0])
    await expectWhole(
      { store.apply($0) },
      by: { store.value(forKey: $0) }, and: { store.snapshot().values })
  }

  // S-5, S-10
  @Test(arguments: [false, true])
  func `a change of many keys is seen whole or not at all, also if it can't be stored`(
    isStored: Bool
  ) async {
    let machine = FaultMachine()
    let store = machine.process().store(at: CrashScript.paths)
    if !isStored { machine.error = { _, _, _ in ENOSPC } }
    await expectWhole(
      { changes in #expect(throws: Never.self) { try store.apply(changes) } },
      by: { store.value(forKey: $0) }, and: { store.snapshot().values })
    #expect(store.issues.contains { $0.kind == .notStored } != isStored)
  }

  /// Changes two keys together, again and again, in both ways, while other threads read them one
  /// by one, the one that is changed first before the other, and at one moment.
  private func expectWhole(
    _ apply: @escaping @Sendable (ChangeSet) -> Void,
    by value: @escaping @Sendable (String) -> PropertyListValue?,
    and values: @escaping @Sendable () -> [String: PropertyListValue]
  ) async {
    apply(Self.changes(to: 0))
    let readers = Tally()
    readers.count.store(2, ordering: .relaxed)
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        var number: Int64 = 0
        while readers.count.load(ordering: .relaxed) > 0 {
          number += 1
          apply(Self.changes(to: number))
        }
        return number > 0
      }
      group.addTask {
        defer { readers.count.subtract(1, ordering: .relaxed) }
        return (0..<500).allSatisfy { _ in
          let values = values()
          return values["a"] != nil && values["a"] == values["b"]
        }
      }
      group.addTask {
        defer { readers.count.subtract(1, ordering: .relaxed) }
        return (0..<10_000).allSatisfy { _ in
          guard case .integer(let first)? = value("a"), case .integer(let second)? = value("b")
          else { return false }
          return first <= second
        }
      }
      for await isWhole in group { #expect(isWhole) }
    }
  }

  private static func changes(to number: Int64) -> ChangeSet {
    ChangeSet(
      ["a", "b"].map { Change(key: $0, value: .integer(number)) },
      replacesAll: number % 2 == 0)
  }

  // V-28, D-3
  @Test func `a list that is replaced while others search it always answers`() async {
    let (first, second) = (memory(["a": 1]), memory(["a": 2]))
    let list = SearchList([.memory(first), .memory(second)])
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for number in 0..<2_000 {
          list.replace(1) { _ in .memory(number.isMultiple(of: 2) ? second : first) }
        }
        return true
      }
      for _ in 0..<2 {
        group.addTask {
          (0..<20_000).allSatisfy { _ in
            let found = list.cachedValue("a")
            return found == .some(.integer(1)) || found == .some(.integer(2))
          }
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  // V-28, D-3
  @Test func `a list that was replaced is freed once nobody searches it any more`() {
    let (entered, mayLeave, isReplaced) = (Gate(), Gate(), Gate())
    let list = SearchList([.memory(memory([:]))])
    //  reader                              writer
    #expect(
      Thread.start {
        Readers.reading {
          entered.open()
          mayLeave.wait()
        }
      })
    entered.wait()
    #expect(
      Thread.start {
        list.replace(0) { _ in fatalError("there is none") }  // waits for the reader
        isReplaced.open()
      })
    for _ in 0..<1_000_000 where !isReplaced.isOpen { strata_pause() }
    #expect(!isReplaced.isOpen)
    mayLeave.open()
    isReplaced.wait()
  }
}
