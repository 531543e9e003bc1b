import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Someone edits the property list while one process is about to replace it; another process takes
/// the edit in, sets and synchronizes; then the first one is stopped or dies, or the power goes.
struct OvertakenCheckpointCrashSlowTests {
  // S-8, S-3, S-4, S-17
  @Test(arguments: EditedLife.Edit.allCases, [false, true])
  func `what is set on an edit survives whoever was about to replace the edited file`(
    edit: EditedLife.Edit, isTakenIn: Bool
  ) throws {
    for isStopped in [false, true] {
      var overtakings = 0
      for call in 1...20 {
        let overtaking = Overtaking(edit, isTakenIn: isTakenIn, isStopped: isStopped)
        try overtaking.run(at: call)
        if overtaking.isEdited { overtakings += 1 }
        try #require(overtaking.complaint == nil, "edit before call \(call)")
      }
      #expect(overtakings > 5)
    }
  }

  // S-18, S-11
  @Test func `an edit that is no property list ends nobody who finds its name taken`() throws {
    let machine = FaultMachine()
    let owner = machine.process().store(at: CrashScript.paths)
    try owner.set(.integer(1), forKey: "a")
    try #require(owner.flush())
    try owner.set(.integer(2), forKey: "a")
    let other = machine.process().store(at: CrashScript.paths)
    var reads = 0
    var isEdited = false
    var isBusy = false
    machine.beforeCall = { _, name in
      if isBusy { return }
      isBusy = true
      defer { isBusy = false }
      if isEdited {
        reads += 1
        other.table.checkAt = 0
        #expect(other.value(forKey: "a") == .integer(2))
        #expect(machine.process().store(at: CrashScript.paths).value(forKey: "a") == .integer(2))
      } else if name.hasPrefix("rename " + CrashScript.paths.plist) {
        machine.edit(CrashScript.paths.plist, Array("{ half".utf8))
        isEdited = true
      }
    }
    _ = owner.checkpoint()
    machine.beforeCall = nil
    #expect(reads > 0)
  }
}

private final class Overtaking {
  private let machine = FaultMachine()
  private let edit: EditedLife.Edit
  private let owner: Store
  private let other: Store
  /// Whether another process takes the edit in at once.
  private let isTakenIn: Bool
  /// Whether others go on while the first process waits for its next call.
  private let isStopped: Bool
  private var generator = SeededGenerator(seed: 1)
  private(set) var isEdited = false
  private(set) var complaint: String?
  private var visits = 0
  private var expected: [String: PropertyListValue] = [:]

  init(_ edit: EditedLife.Edit, isTakenIn: Bool, isStopped: Bool) {
    self.edit = edit
    self.isTakenIn = isTakenIn
    self.isStopped = isStopped
    owner = machine.process().store(at: CrashScript.paths)
    other = machine.process().store(at: CrashScript.paths)
  }

  func run(at call: Int) throws {
    try owner.set(.integer(1), forKey: "a")
    try #require(owner.flush())
    #expect(other.value(forKey: "a") == .integer(1))
    try owner.set(.integer(2), forKey: "a")
    let bytes = try PropertyList.encode(.dictionary(["a": .string("edited")]), as: .binary)
    let start = machine.calls
    var isBusy = false
    machine.beforeCall = { [unowned self] now, name in
      if isBusy { return }
      isBusy = true
      defer { isBusy = false }
      if isEdited, isStopped { visit(now, name) }
      if now >= start + call, !isEdited { edit(bytes) }
      if isEdited { judge(name) }
    }
    _ = owner.checkpoint()
    // The next one announces another file.
    if isEdited, !isStopped { _ = owner.checkpoint() }
    machine.beforeCall = nil
    guard isEdited else { return }
    look(machine.process().store(at: CrashScript.paths), expected, "the end")
    judge("nothing")
  }

  private func edit(_ bytes: [UInt8]) {
    let path = CrashScript.paths.plist
    switch edit {
    case .rename: machine.edit(path, bytes)
    case .inPlace: machine.editInPlace(path, bytes)
    case .removal: machine.remove(path)
    }
    expected = edit == .removal ? [:] : ["a": .string("edited")]
    isEdited = true
    if isTakenIn { set("b", 3, in: other) }
  }

  /// A new process comes by, or one that was there before, and sets.
  private func visit(_ number: Int, _ name: String) {
    visits += 1
    var store = other
    if visits % 2 == 0 {
      store = machine.process().store(at: CrashScript.paths)
      look(store, expected, "a visit before \(name)")
    }
    set("d", Int64(number), in: store)
    look(machine.process().store(at: CrashScript.paths), expected, "after a visit before \(name)")
  }

  private func set(_ key: String, _ number: Int64, in store: Store) {
    do { try store.set(.integer(number), forKey: key) } catch { complaint = "\(error)" }
    expected[key] = .integer(number)
    if !store.synchronize() { complaint = "not synchronized: \(store.issues)" }
  }

  private func judge(_ name: String) {
    var images = [machine.afterDeath(), machine.afterRestart()]
    // An edit that nobody has taken in is as durable as the editor made it.
    if expected["b"] != nil || expected["d"] != nil {
      for _ in 0..<2 { images.append(machine.afterPowerCut(using: &generator)) }
    }
    for (number, image) in images.enumerated() where complaint == nil {
      let what = "end \(number) before \(name)"
      let store = image.process().store(at: CrashScript.paths)
      look(store, expected, what)
      do { try store.set(.integer(4), forKey: "c") } catch { complaint = "\(error)" }
      let later = expected.merging(["c": .integer(4)]) { $1 }
      look(image.process().store(at: CrashScript.paths), later, what + ", then a set")
      if !store.flush() { complaint = complaint ?? "\(what): not flushed: \(store.issues)" }
      look(image.afterRestart().process().store(at: CrashScript.paths), later, what + ", a flush")
    }
  }

  private func look(_ store: Store, _ expected: [String: PropertyListValue], _ what: String) {
    let found = store.snapshot().values
    if found != expected { complaint = complaint ?? "\(what): found \(found); \(store.issues)" }
  }
}
