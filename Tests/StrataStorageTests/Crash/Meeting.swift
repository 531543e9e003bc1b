import Glibc
import StrataPropertyList
import StrataTesting

@testable import FaultTesting
@testable import StrataStorage

/// The life of a domain that three processes use, each of which is stopped at random moments while
/// another one works.
final class Meeting {
  /// What comes between.
  enum Trouble: CaseIterable {
    case none
    /// The first process meets errors: what that one sets may be in its memory only.
    case errors
    /// Someone replaces or rewrites the property list.
    case edits
  }

  private enum Act: CaseIterable {
    case set, setTwo, count, replaceAll, synchronize, checkpoint, compact, tick, read, arrive, die

    static let weighted: [Act] = allCases.flatMap { act in
      let weight =
        switch act {
        case .set: 6
        case .setTwo, .count, .synchronize, .compact: 2
        case .checkpoint: 3
        case .replaceAll, .tick, .read, .arrive, .die: 1
        }
      return Array(repeating: act, count: weight)
    }
  }

  private let machine: FaultMachine
  private var stores: [Store]
  /// Which of them are in the middle of something.
  private var isBusy = [false, false, false]
  private var generator: SeededGenerator
  private var counter: Int64 = 0
  private var log: [String] = []
  private(set) var complaint: String?
  private var ledger = MeetingLedger()

  private var edits = 0
  private var editsBefore = 0

  /// What the first of them has set since it started.
  private var setByFirst: Set<String> = []
  private let trouble: Trouble
  private var hasErrors: Bool { trouble == .errors }
  /// Whether an edit in the moment before a replacement is replaced.
  private let isPlain: Bool
  private static let errors: [Int32] = [EIO, ENOSPC, EMFILE, EACCES, ENOMEM]

  init(seed: UInt64, _ kind: FaultMachine.Kind, _ trouble: Trouble) {
    self.trouble = trouble
    isPlain = kind != .ordinary
    generator = SeededGenerator(seed: seed)
    machine = FaultMachine(kind)
    machine.compactionSizeMin = 600
    machine.flushPatience = 0  // those that are waited for go on only after that
    if generator.oneIn(2) { machine.searchSizeMin = 0 }
    stores = []
    for number in 0..<3 { stores.append(makeStore(number)) }
    if hasErrors { meetErrors() }
  }

  private func meetErrors() {
    machine.error = { [unowned self] _, call, process in
      // What the kernel takes for written after that is another test's.
      call.hasPrefix("sync") ? nil : error(for: process, call)
    }
    machine.quietError = { [unowned self] call, process in error(for: process, "\(call)") }
  }

  private func error(for process: Int, _ call: String) -> Int32? {
    guard (stores[0].disk as? FaultDisk)?.process == process, generator.oneIn(25) else {
      return nil
    }
    log.append("    0 meets an error \(call)")
    return Self.errors.randomElement(using: &generator)
  }

  private func makeStore(_ number: Int) -> Store {
    let store = machine.process().store(at: CrashScript.paths)
    store.step = { [machine] step in machine.note("append \(step) of \(number)") }
    return store
  }

  func run(steps: Int) throws {
    machine.beforeCall = { [unowned self] _, name in pause(before: name) }
    machine.beforeLook = { [unowned self] call in pause(before: "\(call)") }
    for _ in 0..<steps where complaint == nil { act() }
    machine.beforeCall = nil
    machine.beforeLook = nil
    (machine.error, machine.quietError) = (nil, nil)
    for number in 0..<3 where complaint == nil {
      // As if it had not looked for a while.
      stores[number].table.checkAt = 0
      check(stores[number], "process \(number)")
    }
  }

  /// The moment before a call of whoever is at work.
  private func pause(before call: String) {
    guard complaint == nil else { return }
    if trouble != .edits { for number in 0..<3 { lookWithoutLock(number, call) } }
    if generator.oneIn(12) { judge(call) }
    // Between two steps of a replacement most can go wrong.
    let isStep = call.hasPrefix("sync") || call.hasPrefix("rename")
    if generator.oneIn(isStep ? 6 : 40) {
      for _ in 0..<Int.random(in: 1...3, using: &generator) { act(before: call) }
    }
  }

  private func act(before call: String? = nil) {
    if call == nil { editsBefore = edits }
    if trouble == .edits, mayEdit(before: call), generator.oneIn(8) { return edit() }
    guard let number = (0..<3).filter({ !isBusy[$0] }).randomElement(using: &generator) else {
      return
    }
    isBusy[number] = true
    defer { isBusy[number] = false }
    // Sometimes as if it had not looked for a while.
    if generator.oneIn(4) { stores[number].table.checkAt = 0 }
    let act = Act.weighted.randomElement(using: &generator) ?? .set
    log.append((call.map { "  before \($0): " } ?? "") + "\(number) does \(act)")
    do {
      try perform(act, number)
    } catch {
      complaint = "\(error)"
    }
    log.append("  \(number) is done")
  }

  private func perform(_ act: Act, _ number: Int) throws {
    let store = stores[number]
    switch act {
    case .set: try set(number)
    case .setTwo: try setTwo(number)
    case .count: try count(number)
    case .replaceAll: try replaceAll(number)
    case .synchronize: synchronize(number)
    case .checkpoint: _ = store.checkpoint()
    case .compact: store.compact()
    case .tick: _ = store.tick(now: counter * 1_000_000_000)
    case .read: read(number)
    case .arrive: read(nil)
    case .die:
      // Another one takes its place.
      if let disk = store.disk as? FaultDisk { machine.kill(disk.process) }
      stores[number] = makeStore(number)
      if number == 0 { setByFirst.removeAll() }
    }
  }

  // -- What they do

  private func set(_ number: Int) throws {
    let key = "key\(number).\(Int.random(in: 0..<2, using: &generator))"
    let isRemoved = generator.oneIn(6)
    let count = 1 + Int.random(in: 0..<30, using: &generator)
    try write([key], isRemoved, by: number) { value in
      let value = PropertyListValue.array(Array(repeating: .integer(value), count: count))
      try stores[number].set(isRemoved ? nil : value, forKey: key)
    }
  }

  /// Two keys, which are the same at any moment.
  private func setTwo(_ number: Int) throws {
    let (keys, isRemoved) = (MeetingLedger.two(of: number), generator.oneIn(4))
    try write(keys, isRemoved, by: number) { value in
      let changes = keys.map { Change(key: $0, value: isRemoved ? nil : .integer(value)) }
      try stores[number].apply(ChangeSet(changes))
    }
  }

  private func write(
    _ keys: [String], _ isRemoved: Bool, by number: Int, _ body: (Int64) throws -> Void
  ) throws {
    counter += 1
    let writing = ledger.begin(keys.map { ($0, isRemoved ? 0 : counter) })
    try body(counter)
    ledger.end(writing)
    if number == 0 { setByFirst.formUnion(keys) }
  }

  /// Makes a number greater by one that all of them count up.
  private func count(_ number: Int) throws {
    // What the one that meets errors counts may be in its memory only.
    if hasErrors, number == 0 { return }
    let (store, key) = (stores[number], MeetingLedger.shared)
    let old = store.integer(forKey: key)
    let writing = ledger.begin([(key, (old ?? 0) + 1)])
    let isDone = try store.apply(
      ChangeSet([Change(key: key, value: .integer((old ?? 0) + 1))]),
      ifStill: [Change(key: key, value: old.map { .integer($0) })])
    if !isDone { return ledger.cancel(writing) }
    if let wrong = ledger.endCounting(writing) { complain(wrong, "the return of \(number)") }
  }

  /// Makes one of its keys the only one there is.
  private func replaceAll(_ number: Int) throws {
    // To what the first one has in its memory only, nobody knows what that would do.
    if hasErrors { return }
    counter += 1
    let key = "key\(number).0"
    let writing = ledger.begin(
      MeetingLedger.keys.map { ($0, $0 == key ? counter : 0) }, isReplacement: true)
    try stores[number].apply(
      ChangeSet(setting: [key: .array([.integer(counter)])], replacesAll: true))
    ledger.end(writing)
  }

  private func synchronize(_ number: Int) {
    // What the one that meets errors has set is for itself to store.
    let editsBefore = edits
    let marks = ledger.marks { key in
      !(hasErrors && MeetingLedger.isOfFirst(key)) || number == 0 && setByFirst.contains(key)
    }
    guard stores[number].synchronize(), edits == editsBefore else { return }
    ledger.noteSynchronized(marks)
    for _ in 0..<2 { judge("the end of a synchronize") }
  }

  /// What one of them reads, or (nil) a new one, which may search the list for it.
  private func read(_ number: Int?) {
    if hasErrors, number == 0 { return }
    let keys = MeetingLedger.keys.filter { !hasErrors || !MeetingLedger.isOfFirst($0) }
    guard let key = keys.randomElement(using: &generator) else { return }
    let store = number.map { stores[$0] } ?? machine.process().store(at: CrashScript.paths)
    let reading = ledger.beginReading(key)
    var wrong: String?
    // An edit is seen in a moment: at the second look, if another process was faster at the first.
    for _ in 0..<(trouble == .edits ? 2 : 1) {
      if trouble == .edits { store.table.checkAt = 0 }
      // First: the ledger is what it is after that.
      let value = Self.number(in: store.value(forKey: key)) ?? 0
      wrong = ledger.wrong(reading, value)
      if wrong == nil { return }
    }
    if let wrong {
      complain(wrong, number.map { "a look of \($0)" } ?? "a look of a new process", store)
    }
  }

  /// One edit at most while somebody is at work, or none where it would be replaced: of two in the
  /// microseconds of one replacement, death may bring back the older one.
  private func mayEdit(before call: String?) -> Bool {
    call == nil || !isPlain && edits == editsBefore
  }

  /// Only what is set later is newer.
  private func edit() {
    counter += 1
    edits += 1
    let key = "key\(Int.random(in: 0..<3, using: &generator)).0"
    let values: [String: PropertyListValue] = [key: .array([.integer(counter)])]
    guard let bytes = try? PropertyList.encode(.dictionary(values), as: .xml) else { return }
    let path = CrashScript.paths.plist
    ledger.noteEdit(key, counter)
    let isInPlace = machine.names[path] != nil && generator.oneIn(3)
    log.append("  edit \(isInPlace ? "in place" : ""): \(key) is \(counter)")
    if isInPlace { machine.editInPlace(path, bytes) } else { machine.edit(path, bytes) }
  }

  // -- What must hold

  private func judge(_ call: String) {
    let death = machine.afterDeath()
    let cut = machine.afterPowerCut(using: &generator)
    check(death, after: "death before \(call)", isCut: false)
    check(cut, after: "a cut before \(call)", isCut: true)
  }

  private func check(_ image: FaultMachine, after what: String, isCut: Bool) {
    guard complaint == nil else { return }
    image.compactionSizeMin = 600
    let store = image.process().store(at: CrashScript.paths)
    let first = MeetingLedger.keys.randomElement(using: &generator) ?? MeetingLedger.shared
    let value = Self.number(in: store.value(forKey: first))
    let found = values(of: store)
    if let wrong = wrong(found, isCut: isCut) { return complain(wrong, what, store) }
    if value != found[first] {
      return complain("\(first) was \(value ?? 0) at first, then \(found[first] ?? 0)", what, store)
    }
    // Once more, with something set in between.
    let durable = store.synchronize() ? found : nil
    do { try store.set(.integer(1), forKey: "later") } catch { return complaint = "\(error)" }
    if Bool.random(using: &generator) { _ = store.checkpoint() }
    let second: FaultMachine
    if let durable, Bool.random(using: &generator) {
      second = image.afterPowerCut(using: &generator)
      let now = values(of: second.process().store(at: CrashScript.paths))
      let isUncertain = { [ledger] (entry: (key: String, value: Int64)) in
        ledger.isUncertain(entry.key)
      }
      if now.filter({ !isUncertain($0) }) != durable.filter({ !isUncertain($0) }) {
        complain("\(durable) became \(now)", what + " and a cut", store)
      }
    } else {
      second = image.afterDeath()
      let now = values(of: second.process().store(at: CrashScript.paths))
      if now != found { complain("\(found) became \(now)", what + " and death", store) }
    }
  }

  private func check(_ store: Store, _ what: String) {
    if let wrong = wrong(values(of: store), isCut: false) { complain(wrong, what, store) }
  }

  /// What a thread that takes no lock reads of what its process has set.
  private func lookWithoutLock(_ number: Int, _ call: String) {
    for key in ["key\(number).0", "key\(number).1"] where !ledger.isUncertain(key) {
      // Who meets errors may not be able to read what was set before it began.
      if hasErrors, number == 0, !setByFirst.contains(key) { continue }
      let found = stores[number].table.cachedValue(key) { Self.number(in: $0?.pointee.value) ?? 0 }
      if let found, let wrong = ledger.wrong(key, found) {
        complain(wrong + " to a thread", "before \(call)")
      }
    }
  }

  private func complain(_ wrong: String, _ what: String, _ store: Store? = nil) {
    let issues = store.map { "; \($0.issues)" } ?? ""
    complaint = "\(what): \(wrong)\(issues)\n" + log.suffix(40).joined(separator: "\n")
  }

  private func values(of store: Store) -> [String: Int64] {
    store.snapshot().values.compactMapValues { Self.number(in: $0) }
      .filter { $0.key != "later" }
  }

  private static func number(in value: PropertyListValue?) -> Int64? {
    switch value {
    case .array(let items): number(in: items.first)
    case .integer(let number): number
    default: nil
    }
  }

  private func wrong(_ found: [String: Int64], isCut: Bool) -> String? {
    ledger.wrong(found) { isCut || hasErrors && MeetingLedger.isOfFirst($0) }
  }
}
