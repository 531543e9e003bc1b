import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Someone replaces the plist file between any two disk operations of two processes.
@Suite(.serialized) struct EditCrashSlowTests {
  // S-8, S-7
  @Test(arguments: EditedLife.Edit.allCases)
  func `an edit at any operation is older than every later set and newer than every earlier`(
    edit: EditedLife.Edit
  ) throws {
    for seed in UInt64(1)...20 {
      let calls = try EditedLife(seed: seed, edit).run(editAt: nil)
      try #require(calls > 40)
      for call in 1...calls {
        let life = EditedLife(seed: seed, edit)
        _ = try life.run(editAt: call)
        if let complaint = life.complaint() {
          Issue.record("seed \(seed), edit before call \(call) (\(life.editedCall)): \(complaint)")
          return
        }
      }
    }
  }
}

/// Two edits while one process checkpoints, at each pair of its steps.
@Suite(.serialized) struct EditPairCrashTests {
  // S-8
  @Test(arguments: EditedLife.Edit.allCases, EditedLife.Edit.allCases)
  func `of two edits during a checkpoint the newer one stays`(
    first: EditedLife.Edit, second: EditedLife.Edit
  ) throws {
    for call in 1...20 {
      for distance in 1...10 {
        let machine = FaultMachine()
        let store = machine.process().store(at: CrashScript.paths)
        try store.set(.integer(1), forKey: "a")
        try #require(store.flush())
        try store.set(.integer(2), forKey: "a")
        let start = machine.calls
        var newest: [String: PropertyListValue]?
        machine.beforeCall = { now, _ in
          if now == start + call, Self.edit(machine, first, 1) { newest = Self.values(first, 1) }
          if now == start + call + distance, newest != nil, Self.edit(machine, second, 2) {
            newest = Self.values(second, 2)
          }
        }
        store.flush()
        machine.beforeCall = nil
        guard let newest else { continue }
        let found = machine.process().store(at: CrashScript.paths).snapshot().values
        try #require(found == newest, "edits before calls \(call) and \(call + distance)")
        _ = store.flush()
        let last = machine.process().store(at: CrashScript.paths).snapshot().values
        try #require(last == newest, "edits before calls \(call) and \(call + distance)")
      }
    }
  }

  // S-8, S-3
  @Test(arguments: EditedLife.Edit.allCases)
  func `an edit during a checkpoint that dies is older than what is set then`(
    edit: EditedLife.Edit
  ) throws {
    for call in 1...20 {
      let machine = FaultMachine()
      let store = machine.process().store(at: CrashScript.paths)
      try store.set(.integer(1), forKey: "a")
      try #require(store.flush())
      try store.set(.integer(2), forKey: "a")
      let start = machine.calls
      var isEdited = false
      var complaint: String?
      machine.beforeCall = { now, name in
        if now == start + call { isEdited = Self.edit(machine, edit, 1) }
        guard isEdited else { return }
        for (left, flushes) in [
          (machine.afterDeath(), false), (machine.afterDeath(), true),
          (machine.afterRestart(), false), (machine.afterRestart(), true),
        ] {
          var expected = Self.values(edit, 1)
          expected["c"] = .integer(flushes ? 4 : 3)
          let next = left.process().store(at: CrashScript.paths)
          do { try next.set(expected["c"], forKey: "c") } catch { Issue.record(error) }
          if flushes { _ = next.flush() }
          let found = left.process().store(at: CrashScript.paths).snapshot().values
          if found != expected {
            complaint = complaint ?? "edit before \(call), death before \(name): \(found)"
          }
        }
      }
      store.flush()
      machine.beforeCall = nil
      try #require(complaint == nil)
    }
  }

  private static func values(
    _ edit: EditedLife.Edit, _ number: Int64
  ) -> [String: PropertyListValue] {
    edit == .removal ? [:] : ["a": .string("edited"), "number": .integer(number)]
  }

  /// - Returns: whether there was something to edit.
  private static func edit(
    _ machine: FaultMachine, _ edit: EditedLife.Edit, _ number: Int64
  ) -> Bool {
    let path = CrashScript.paths.plist
    guard edit == .rename || machine.names[path] != nil,
      let bytes = try? PropertyList.encode(.dictionary(values(edit, number)), as: .binary)
    else { return false }
    switch edit {
    case .rename: machine.edit(path, bytes)
    case .inPlace: machine.editInPlace(path, bytes)
    case .removal: machine.rename([(path, nil)])
    }
    return true
  }
}

/// Two processes set, remove and flush; at one call the file becomes another one.
final class EditedLife {
  enum Edit: CaseIterable { case rename, inPlace, removal }

  private let edit: Edit
  private let machine = FaultMachine()
  private var generator: SeededGenerator
  private let stores: [Store]
  private(set) var editedCall = ""

  /// What may be the truth: an edit during a request comes before or after it.
  private var expected: [[String: PropertyListValue]] = [[:]]
  private var isEdited = false
  private var wasEditedInRequest = false

  private var edited: [String: PropertyListValue] {
    edit == .removal ? [:] : ["a": .string("edited"), "z": .string("only in the edit")]
  }

  init(seed: UInt64, _ edit: Edit) {
    self.edit = edit
    generator = SeededGenerator(seed: seed)
    stores = [
      machine.process().store(at: CrashScript.paths),
      machine.process().store(at: CrashScript.paths),
    ]
    for store in stores { store.step = { [machine] in machine.note("append \($0)") } }
  }

  func run(editAt: Int?) throws -> Int {
    var calls = 0
    let bytes = try PropertyList.encode(.dictionary(edited), as: .binary)
    machine.beforeCall = { [unowned self] call, name in
      calls = call
      guard let editAt, call >= editAt, !isEdited, canEdit else { return }
      isEdited = true
      wasEditedInRequest = true
      editedCall = name
      switch edit {
      case .rename: machine.edit(CrashScript.paths.plist, bytes)
      case .inPlace: machine.editInPlace(CrashScript.paths.plist, bytes)
      case .removal: machine.rename([(CrashScript.paths.plist, nil)])
      }
    }
    for step in 0..<30 { try act(step) }
    machine.beforeCall = nil
    return calls
  }

  /// Only a file that is there can be removed, or written to in place.
  private var canEdit: Bool {
    machine.directories.contains(CrashScript.paths.directory)
      && (edit == .rename || machine.names[CrashScript.paths.plist] != nil)
  }

  private func act(_ step: Int) throws {
    let store = stores[Int.random(in: 0..<2, using: &generator)]
    let key = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
    wasEditedInRequest = false
    switch Int.random(in: 0..<6, using: &generator) {
    case 0:
      try store.set(nil, forKey: key)
      note(key, nil)
    case 1, 2:
      store.flush()
      if wasEditedInRequest { expected = [edited] }
    default:
      let value = PropertyListValue.integer(Int64(step))
      try store.set(value, forKey: key)
      note(key, value)
    }
  }

  private func note(_ key: String, _ value: PropertyListValue?) {
    // A set to what is there already needs no write, before or after.
    var after = wasEditedInRequest ? [edited] : expected
    for index in after.indices { after[index][key] = value }
    expected = after + (wasEditedInRequest ? [edited] : [])
  }

  func complaint() -> String? {
    for (index, store) in stores.enumerated() {
      // That the file is gone is believed at the second look.
      for _ in 0..<2 {
        store.table.checkAt = 0
        _ = store.snapshot()
      }
      let found = store.snapshot().values
      if !expected.contains(found) { return "process \(index) sees \(found), not \(expected)" }
    }
    let fresh = machine.process().store(at: CrashScript.paths)
    let found = fresh.snapshot().values
    if !expected.contains(found) { return "a new process sees \(found), not \(expected)" }
    if !stores[0].flush() { return "no flush: \(stores[0].issues)" }
    let last = machine.process().store(at: CrashScript.paths).snapshot().values
    return expected.contains(last) ? nil : "after a flush \(last), not \(expected)"
  }
}
