import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A journal that can't be used is replaced by what its records still hold.
@Suite(.serialized) struct DamagedJournalCrashTests {
  private static let paths = CrashScript.paths
  private static let values: [String: PropertyListValue] = ["a": .integer(1), "b": .string("two")]

  /// A machine with a journal whose head is damaged, and whose records are sound.
  private static func machine() throws -> FaultMachine {
    let machine = FaultMachine()
    let store = machine.process().store(at: paths)
    for (key, value) in values { try store.set(value, forKey: key) }
    #expect(store.synchronize())
    let file = try #require(machine.names[paths.journal])
    var bytes = file.bytes
    bytes[20] ^= 0xFF
    file.setContents(bytes)
    return machine.afterDeath()
  }

  // S-21, S-9
  @Test func `a damaged journal keeps its place until what it held is durable elsewhere`() throws {
    var generator = SeededGenerator(seed: 7)
    let machine = try Self.machine()
    var images = 0
    var complaint: String?
    machine.beforeCall = { call, name in
      images += 1
      for left in [machine.afterDeath(), machine.afterPowerCut(using: &generator)] {
        let found = left.process().store(at: Self.paths).snapshot().values
        if found != Self.values {
          complaint = complaint ?? "before call \(call), \(name): \(found)"
        }
      }
    }
    let store = machine.process().store(at: Self.paths)
    #expect(store.snapshot().values == Self.values)
    machine.beforeCall = nil
    #expect(complaint == nil)
    #expect(images > 4)
    let kept = try #require(store.issues.compactMap(\.keptAt).first)
    #expect(machine.names[kept] != nil)
  }

  // S-21, S-3, S-6
  @Test(arguments: [false, true])
  func `what is set while another process replaces a damaged journal is newer`(
    isDestroyed: Bool
  ) throws {
    let calls = try Self.rescue(settingBefore: 0, isDestroyed)
    #expect(calls > 10)
    for call in 1...calls { _ = try Self.rescue(settingBefore: call, isDestroyed) }
  }

  /// One process has the journal in use when its head is damaged, and sets once more before a call
  /// of the one that finds the damage.
  /// - Parameter isDestroyed: whether nothing is left of the damaged one in the end.
  /// - Returns: how many calls that one makes.
  private static func rescue(settingBefore chosen: Int, _ isDestroyed: Bool) throws -> Int {
    let machine = FaultMachine()
    let user = machine.process().store(at: paths)
    for number in Int64(1)...3 { try user.set(.integer(number), forKey: "a") }
    try user.set(.string("two"), forKey: "b")
    let file = try #require(machine.names[paths.journal])
    var bytes = file.bytes
    bytes[20] ^= 0xFF
    file.setContents(bytes)
    var calls = 0
    var newest: [String: PropertyListValue] = ["a": .integer(3), "b": .string("two")]
    let pass = {
      calls += 1
      guard calls == chosen else { return }
      newest["a"] = .integer(4)
      newest["b"] = nil
      do {
        try user.set(.integer(4), forKey: "a")
        try user.set(nil, forKey: "b")
      } catch {
        Issue.record(error)
      }
    }
    machine.beforeCall = { _, _ in pass() }
    machine.beforeLook = { _ in pass() }
    let rescuer = machine.process().store(at: paths)
    try rescuer.set(.integer(1), forKey: "c")
    newest["c"] = .integer(1)
    machine.beforeCall = nil
    machine.beforeLook = nil
    if isDestroyed { file.setContents([UInt8](repeating: 0, count: file.size)) }
    // Whoever uses the damaged one brings over what the rescuer could not see.
    try #require(user.snapshot().values == newest, "set before call \(chosen)")
    try #require(rescuer.snapshot().values == newest, "set before call \(chosen)")
    let left = machine.afterDeath().process().store(at: paths)
    try #require(left.snapshot().values == newest, "set before call \(chosen)")
    return calls
  }

  // S-3, S-9
  @Test func `a damaged record counts that is known, though later ones are not`() throws {
    let machine = FaultMachine()
    let user = machine.process().store(at: Self.paths)
    try user.set(.integer(1), forKey: "a")
    let start = try #require(user.journal).length
    try user.set(.integer(2), forKey: "a")
    // This one dies.
    try machine.process().store(at: Self.paths).set(.integer(9), forKey: "z")
    let file = try #require(machine.names[Self.paths.journal])
    var bytes = file.bytes
    for index in 0..<JournalLayout.recordsStart { bytes[index] = 0 }
    bytes[start + 20] ^= 0xFF
    file.setContents(bytes)
    let next = machine.process().store(at: Self.paths)
    #expect(next.snapshot().values == ["a": .integer(1), "z": .integer(9)])
    try user.set(.integer(3), forKey: "b")
    for store in [user, next] {
      let expected: [String: PropertyListValue] = [
        "a": .integer(2), "b": .integer(3), "z": .integer(9),
      ]
      #expect(store.snapshot().values == expected)
    }
  }

  // S-1, S-9
  @Test(arguments: [false, true])
  func `a record that is damaged before all have read it divides nobody for long`(
    isFlushedByReader: Bool
  ) throws {
    let machine = FaultMachine()
    let (writer, reader) = (
      machine.process().store(at: Self.paths), machine.process().store(at: Self.paths)
    )
    try writer.set(.integer(1), forKey: "a")
    #expect(reader.integer(forKey: "a") == 1)
    let length = try #require(writer.journal).length
    try writer.set(.integer(2), forKey: "a")
    let file = try #require(machine.names[Self.paths.journal])
    var bytes = file.bytes
    for index in length..<bytes.count { bytes[index] = 0 }
    file.setContents(bytes)
    #expect(reader.integer(forKey: "a") == 1, "the record is lost to who had not read it")
    #expect((isFlushedByReader ? reader : writer).flush())
    let expected: Int64 = isFlushedByReader ? 1 : 2
    for store in [writer, reader, machine.process().store(at: Self.paths)] {
      #expect(store.integer(forKey: "a") == expected)
    }
  }

  // S-21, S-10
  @Test func `on a full disk a damaged journal stays where it is`() throws {
    let machine = try Self.machine()
    let before = try #require(machine.names[Self.paths.journal])
    machine.error = { _, _, _ in ENOSPC }
    let store = machine.process().store(at: Self.paths)
    try store.set(.integer(3), forKey: "c")
    #expect(!store.synchronize())
    #expect(machine.names[Self.paths.journal] === before)
    machine.error = nil
    #expect(store.synchronize())
    var expected = Self.values
    expected["c"] = .integer(3)
    let left = machine.afterDeath().process().store(at: Self.paths)
    #expect(left.snapshot().values == expected)
  }
}
