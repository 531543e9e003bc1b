import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Calls of one store's process that fail, by their number, until `end`.
final class FailingCalls {
  private let machine: FaultMachine
  private let quietError: ((FaultMachine.QuietCall, Int) -> Int32?)?
  /// How many could have failed in this way.
  private(set) var count = 0
  /// The first that failed.
  private(set) var failed = "none"

  /// What fails already still does.
  init(of store: Store, _ failing: Range<Int>, with code: Int32) throws {
    let disk = try #require(store.disk as? FaultDisk)
    machine = disk.machine
    let (number, before) = (disk.process, machine.quietError)
    quietError = before
    let judge = { [unowned self] (name: String) -> Int32? in
      count += 1
      guard failing.contains(count) else { return nil }
      if failed == "none" { failed = name }
      return code
    }
    machine.error = { _, name, process in
      process == number && Life.canChange(name, failWith: code) ? judge(name) : nil
    }
    machine.quietError = { call, process in
      if let code = before?(call, process) { return code }
      return process == number && Life.canFail(call, with: code) ? judge("\(call)") : nil
    }
  }

  func end() { (machine.error, machine.quietError) = (nil, quietError) }
}

/// One or two processes that set, remove, synchronize and flush, and check what they read, while
/// calls of the first fail.
final class Life {
  private let machine = FaultMachine()
  private var generator: SeededGenerator
  private let processCount: Int
  /// What each process has set, all under keys of its own.
  private var expected: [[String: PropertyListValue]]
  private var inFlight: Change?
  private var stores: [Store] = []
  private(set) var complaint: String?
  /// The first call that failed.
  private(set) var failed = "none"

  init(seed: UInt64, processes: Int = 1) {
    generator = SeededGenerator(seed: seed)
    processCount = processes
    expected = Array(repeating: [:], count: processes)
  }

  /// - Returns: how many calls could have failed in this way.
  @discardableResult
  func run(failing: @escaping (Int) -> Bool, code: Int32) throws -> Int {
    var calls = 0
    let judge = { [unowned self] (name: String) -> Int32? in
      calls += 1
      guard failing(calls) else { return nil }
      if failed == "none" { failed = name }
      return code
    }
    machine.error = { _, name, process in
      process == 0 && Self.canChange(name, failWith: code) ? judge(name) : nil
    }
    machine.quietError = { call, process in
      process == 0 && Self.canFail(call, with: code) ? judge("\(call)") : nil
    }
    stores = (0..<processCount).map { _ in machine.process().store(at: CrashScript.paths) }
    machine.beforeCall = { [unowned self] _, name in look(before: name) }
    machine.beforeLook = { [unowned self] call in look(before: "\(call)") }
    for step in 0..<40 {
      for (number, store) in stores.enumerated() {
        try act(store, number, step)
        check(store.snapshot().values, of: number, "process \(number) after step \(step)", store)
      }
    }
    machine.error = nil
    machine.quietError = nil
    for store in stores where !store.flush() { complain("no flush at the end: \(store.issues)") }
    let found = machine.process().store(at: CrashScript.paths).snapshot().values
    for number in 0..<processCount { check(found, of: number, "a new process", stores[number]) }
    for (number, store) in stores.enumerated() {
      check(store.snapshot().values, of: number, "process \(number) at the end", store)
      let lasting = store.issues.filter { $0.kind == .notStored || $0.kind == .unreadable }
      if !lasting.isEmpty { complain("what is over is an issue still: \(lasting)") }
    }
    return calls
  }

  /// Which calls the kernel may refuse with this number.
  static func canChange(_ name: String, failWith code: Int32) -> Bool {
    switch code {
    case EACCES: !name.hasPrefix("sync") && !name.hasPrefix("write") && !name.hasPrefix("allocate")
    case EMFILE: name.hasPrefix("create")
    default: true
    }
  }

  static func canFail(_ call: FaultMachine.QuietCall, with code: Int32) -> Bool {
    switch code {
    case ENOSPC: call == .watch
    case EROFS, EDQUOT: false
    case EACCES: [.open, .status, .destination, .names, .watch].contains(call)
    case EMFILE: [.open, .names, .feed].contains(call)
    case ENOMEM: call != .statusOfFile
    default: true
    }
  }

  private func check(
    _ found: [String: PropertyListValue], of number: Int, _ who: String, _ store: Store
  ) {
    let own = found.filter { $0.key.hasSuffix("\(number)") }
    if own == expected[number] { return }
    let wrong = Set(own.keys).union(expected[number].keys).filter {
      own[$0] != expected[number][$0]
    }
    complain("\(who): wrong or lost: \(wrong.sorted()); issues \(store.issues)")
  }

  /// What threads that take no lock read meanwhile.
  private func look(before call: String) {
    for (number, store) in stores.enumerated() {
      for key in ["a\(number)", "b\(number)", "c\(number)"] {
        guard let found = store.table.cachedValue(key, { $0?.pointee.value }),
          found != expected[number][key],
          inFlight?.key != key || found != inFlight?.value
        else { continue }
        complain("process \(number), before \(call): a thread reads a wrong \(key)")
      }
    }
  }

  private func complain(_ text: String) { complaint = complaint ?? text }

  private func act(_ store: Store, _ number: Int, _ step: Int) throws {
    let key = (["a", "b", "c"].randomElement(using: &generator) ?? "a") + "\(number)"
    switch Int.random(in: 0..<8, using: &generator) {
    case 0:
      try set(store, number, Change(key: key, value: nil))
    case 1:
      _ = store.synchronize()
    case 2, 3:
      store.flush()
    default:
      let big = PropertyListValue.data([UInt8](repeating: UInt8(step), count: 30_000))
      let value = step.isMultiple(of: 5) ? big : PropertyListValue.integer(Int64(step))
      try set(store, number, Change(key: key, value: value))
    }
  }

  private func set(_ store: Store, _ number: Int, _ change: Change) throws {
    inFlight = change
    defer { inFlight = nil }
    try store.set(change.value, forKey: change.key)
    expected[number][change.key] = change.value
  }
}
