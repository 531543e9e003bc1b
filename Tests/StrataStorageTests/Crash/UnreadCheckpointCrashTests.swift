import Glibc
import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A checkpoint that is stopped at any moment, beside processes of which one can't always read the
/// property list, and an edit just before the checkpoint's file takes the name.
@Suite struct UnreadCheckpointCrashTests {
  // S-3, S-8, S-24
  @Test(
    arguments: [.open, .status, .statusOfFile, .read, .map] as [FaultMachine.QuietCall],
    [false, true])
  func `what is set beside it survives, whichever look of one process fails`(
    call: FaultMachine.QuietCall, isNew: Bool
  ) throws {
    for isEdited in [false, true] {
      var moment = 1
      while try run(stoppingAt: moment, call, isNew: isNew, isEdited: isEdited) { moment += 1 }
      #expect(moment > 20, "a checkpoint has more moments")
    }
  }

  /// - Returns: false if the checkpoint has no such moment.
  private func run(
    stoppingAt moment: Int, _ call: FaultMachine.QuietCall, isNew: Bool, isEdited: Bool
  ) throws -> Bool {
    for first in 1...4 {
      for second in 1...4 {
        let scene = UnreadCheckpoint(
          call, stoppingAt: moment, isNew: isNew, isEdited: isEdited)
        try scene.run(failing: (first, second))
        guard scene.wasStopped else { return false }
        for complaint in scene.complaints {
          Issue.record("moment \(moment), failing \(first) and \(second), \(complaint)")
        }
      }
    }
    return true
  }
}

private final class UnreadCheckpoint {
  private typealias Values = [String: PropertyListValue]
  private static let paths = CrashScript.paths
  private static let edit: Values = ["a": .integer(7), "e": .integer(7)]

  private let machine = FaultMachine(.ordinary)
  /// The kind of call that fails, and which of those that one process makes.
  private let failing: FaultMachine.QuietCall
  private var failingNumber = 0
  private var callCount = 0
  private var troubled: Int?
  /// Whether it is another process each time.
  private let isNew: Bool
  private let moment: Int
  private var moments = 0
  private(set) var wasStopped = false
  private var isEditDue: Bool
  private var isEdited = false
  private var problem: (any Error)?
  private(set) var complaints: [String] = []

  init(
    _ failing: FaultMachine.QuietCall, stoppingAt moment: Int, isNew: Bool, isEdited: Bool
  ) {
    (self.failing, self.moment, self.isNew) = (failing, moment, isNew)
    isEditDue = isEdited
  }

  private func process() -> Store { machine.process().store(at: Self.paths) }

  func run(failing numbers: (Int, Int)) throws {
    let (writer, other, living) = (process(), process(), process())
    try other.set(.integer(1), forKey: "a")
    try #require(other.flush())
    try other.set(.integer(2), forKey: "a")
    _ = (writer.snapshot(), living.snapshot())
    self.living = living
    machine.quietError = { [unowned self] call, process in
      guard process == troubled, call == failing else { return nil }
      callCount += 1
      return callCount == failingNumber ? EIO : nil
    }
    let edit = try PropertyList.encode(.dictionary(Self.edit), as: .binary)
    machine.beforeCall = { [unowned self] _, call in
      if isEditDue, call == "rename \(Self.paths.plist)" {
        (isEditDue, isEdited) = (false, true)
        machine.edit(Self.paths.plist, edit)
      }
      pause(other, numbers)
    }
    machine.beforeLook = { [unowned self] _ in pause(other, numbers) }
    _ = writer.checkpoint()
    if let problem { throw problem }
    guard wasStopped else { return }
    judge(process(), "nobody died", isSetLater: wasEditedBefore || !isEdited)
    judgeTroubled(numbers.1)
  }

  private var wasEditedBefore = false

  private func pause(_ other: Store, _ numbers: (Int, Int)) {
    moments += 1
    guard moments == moment, !wasStopped else { return }
    (wasStopped, wasEditedBefore) = (true, isEdited)
    do {
      try setByTroubled(numbers.0)
      try other.set(.integer(3), forKey: "c")
      try setByTroubled(numbers.1)
    } catch { problem = error }
    judge(machine.afterDeath().process().store(at: Self.paths), "all died", isSetLater: true)
  }

  private var living: Store?

  private func setByTroubled(_ number: Int) throws {
    if isNew { living = process() }
    guard let store = living else { return }
    troubled = (store.disk as? FaultDisk)?.process
    (failingNumber, callCount) = (number, 0)
    try store.set(.integer(Int64(number)), forKey: "b")
    failingNumber = 0
  }

  /// What the living process has set, once it can read again.
  private func judgeTroubled(_ number: Int) {
    guard wasEditedBefore || !isEdited, let living else { return }
    isEditDue = false
    for _ in 0..<3 {
      living.table.checkAt = 0  // as if it had not looked for a while
      _ = (living.snapshot(), living.flush())
    }
    let values = process().snapshot().values
    if values["b"] != .integer(Int64(number)) {
      complaints.append("nobody died, edited \(isEdited): b is wrong in \(values)")
    }
  }

  /// - Parameter isSetLater: whether "c" was set after the edit, if there is one.
  private func judge(_ store: Store, _ when: String, isSetLater: Bool) {
    let values = store.snapshot().values
    let expected: [String: PropertyListValue?] = [
      "a": .integer(isEdited ? 7 : 2), "e": isEdited ? .integer(7) : nil,
      "c": isSetLater ? .integer(3) : nil,
    ]
    for (key, value) in expected where values[key] != value {
      complaints.append("\(when), edited \(isEdited): \(key) is wrong in \(values)")
    }
  }
}
