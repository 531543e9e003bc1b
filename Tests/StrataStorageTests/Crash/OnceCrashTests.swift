import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// What is to be done once is done once, whoever dies before it is known that it was.
@Suite(.serialized) struct OnceCrashTests {
  private static let paths = CrashScript.paths
  private static let old: [String: PropertyListValue] = ["a": .integer(1), "b": .string("two")]
  // Larger than what a disk writes as a whole.
  private static let new: [String: PropertyListValue] = [
    "a": .integer(5), "c": .string("three"), "d": .data([UInt8](repeating: 7, count: 1_500)),
  ]
  private static let since = Change(key: "since", value: .integer(9))

  enum Found: CaseIterable { case nothing, pending, flushed, edited }

  private static func machine(_ found: Found) throws -> FaultMachine {
    let machine = FaultMachine()
    machine.makeParents(of: paths.plist)
    let store = machine.process().store(at: paths)
    if found != .nothing { try store.apply(ChangeSet(setting: old)) }
    if found == .flushed || found == .edited { store.flush() }
    if found == .edited {
      machine.edit(paths.plist, try PropertyList.encode(.dictionary(old), as: .binary))
    }
    return machine
  }

  /// What the domain holds after one who comes next does it again.
  private static func repeated(on machine: FaultMachine) throws -> [String: PropertyListValue] {
    let store = machine.process().store(at: paths)
    try store.replaceAll(by: new, once: 7)
    return store.snapshot().values
  }

  // S-3, C-23
  @Test(arguments: Found.allCases, [false, true])
  func `what is set after a replacement that died is not replaced again`(
    found: Found, isFlushed: Bool
  ) throws {
    var generator = SeededGenerator(seed: 3)
    let machine = try Self.machine(found)
    var images: [(machine: FaultMachine, isCut: Bool)] = []
    machine.beforeCall = { _, _ in
      images.append((machine.afterDeath(), false))
      images.append((machine.afterPowerCut(using: &generator), true))
    }
    let store = machine.process().store(at: Self.paths)
    store.step = { machine.note("append \($0)") }
    try store.replaceAll(by: Self.new, once: 7)
    #expect(isFlushed ? store.flush() : store.synchronize())
    machine.beforeCall = nil
    images.append((machine.afterDeath(), false))
    images.append((machine.afterPowerCut(using: &generator), true))
    var (doneCount, undoneCount) = (0, 0)
    for (image, isCut) in images {
      // Nobody sets anything between a power cut and the next one who does it again.
      if isCut { #expect(try Self.repeated(on: image) == Self.new) }
      let user = image.process().store(at: Self.paths)
      let isDone = user.snapshot().values == Self.new
      if isDone { doneCount += 1 } else { undoneCount += 1 }
      try user.set(Self.since.value, forKey: Self.since.key)
      var expected = Self.new
      if isDone { expected[Self.since.key] = Self.since.value }
      #expect(try Self.repeated(on: image.afterDeath()) == expected)
      #expect(user.synchronize())
      let cut = image.afterPowerCut(using: &generator)
      #expect(try Self.repeated(on: cut) == expected)
      user.flush()
      #expect(try Self.repeated(on: image.afterRestart()) == expected)
    }
    #expect(doneCount > 1 && undoneCount > 1)
  }

  // S-3, C-23
  @Test func `what is set after a replacement whose journal was cut off is not replaced again`()
    throws
  {
    let machine = try Self.machine(.pending)
    let store = machine.process().store(at: Self.paths)
    _ = store.snapshot()
    var isCutOff = false
    store.step = { _ in
      if isCutOff { return }
      isCutOff = true
      machine.losesMappings = true
      machine.editInPlace(Self.paths.journal, [])
    }
    machine.beforeCall = { _, _ in machine.losesMappings = false }
    try store.replaceAll(by: Self.new, once: 7)
    (store.step, machine.beforeCall) = (nil, nil)
    #expect(isCutOff)
    #expect(store.snapshot().values == Self.new)
    try store.set(Self.since.value, forKey: Self.since.key)
    var expected = Self.new
    expected[Self.since.key] = Self.since.value
    #expect(try Self.repeated(on: machine) == expected)
    #expect(try Self.repeated(on: machine.afterDeath()) == expected)
  }

  // S-3, C-23
  @Test func `another number replaces once more, and nothing is kept that can't be stored`() throws
  {
    let machine = try Self.machine(.flushed)
    let store = machine.process().store(at: Self.paths)
    try store.replaceAll(by: Self.new, once: 7)
    try store.replaceAll(by: Self.old, once: 8)
    #expect(store.snapshot().values == Self.old)
    machine.error = { _, _, _ in ENOSPC }
    machine.quietError = { _, _ in EIO }
    let other = machine.process().store(at: Self.paths)
    #expect(throws: StorageError.self) { try other.replaceAll(by: Self.new, once: 9) }
    machine.error = nil
    machine.quietError = nil
    #expect(other.snapshot().values == Self.old)
    #expect(other.flush())
    #expect(machine.process().store(at: Self.paths).snapshot().values == Self.old)
  }
}
