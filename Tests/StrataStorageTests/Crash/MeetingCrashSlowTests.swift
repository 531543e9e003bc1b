import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Three processes, each of which is stopped at random moments while another one works; then all
/// die, or the power goes, at any moment, and what comes after that does so once more.
/// `STRATA_MEETINGS` says how many of them there are.
@Suite struct MeetingCrashSlowTests {
  private static let count = UInt64(repetitions("STRATA_MEETINGS", else: 100))

  /// What comes between.
  enum Trouble: CaseIterable {
    case none
    /// The first process meets errors: what that one sets may be in its memory only.
    case errors
    /// Someone replaces or rewrites the property list.
    case edits
  }

  // S-3, S-4, S-6, S-8, S-17, S-18, S-20
  @Test(arguments: FaultMachine.Kind.allCases, Trouble.allCases)
  func `what returned survives whatever the processes were doing when they met`(
    kind: FaultMachine.Kind, trouble: Trouble
  ) throws {
    for seed in 0..<Self.count {
      let meeting = Meeting(seed: seed, kind, trouble)
      try meeting.run(steps: 25)
      if let complaint = meeting.complaint {
        Issue.record("seed \(seed): \(complaint)")
        return
      }
    }
  }
}

private final class Meeting {
  private let machine: FaultMachine
  private var stores: [Store]
  /// Which of them are in the middle of something.
  private var isBusy = [false, false, false]
  private var generator: SeededGenerator
  private var counter: Int64 = 0
  private var log: [String] = []
  private(set) var complaint: String?

  /// What each key was last given, what it is about to be given, and what of that no power cut
  /// can undo.
  private var last: [String: Int64] = [:]
  private var inFlight: [String: Int64] = [:]
  private var synced: [String: Int64] = [:]

  /// The greatest that each key ever was given, which a power cut may bring back.
  private var greatest: [String: Int64] = [:]
  /// What a key may be since an edit gave it or came while it was set, 0 for nothing. Nobody
  /// promised to synchronize that.
  private var edited: [String: Int64] = [:]
  private var edits = 0
  private var editsBefore = 0

  /// What the first of them has set since it started.
  private var setByFirst: Set<String> = []
  private let trouble: MeetingCrashSlowTests.Trouble
  private var hasErrors: Bool { trouble == .errors }
  /// Whether an edit in the moment before a replacement is replaced.
  private let isPlain: Bool
  private static let errors: [Int32] = [EIO, ENOSPC, EMFILE, EACCES, ENOMEM]

  init(seed: UInt64, _ kind: FaultMachine.Kind, _ trouble: MeetingCrashSlowTests.Trouble) {
    self.trouble = trouble
    isPlain = kind != .ordinary
    generator = SeededGenerator(seed: seed)
    machine = FaultMachine(kind)
    machine.compactionSizeMin = 600
    machine.flushPatience = 0  // those that are waited for go on only after that
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
    guard (stores[0].disk as? FaultDisk)?.process == process,
      Int.random(in: 0..<25, using: &generator) == 0
    else { return nil }
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
    if Int.random(in: 0..<12, using: &generator) == 0 { judge(call) }
    // Between two steps of a replacement most can go wrong.
    let isStep = call.hasPrefix("sync") || call.hasPrefix("rename")
    if Int.random(in: 0..<(isStep ? 6 : 40), using: &generator) == 0 {
      for _ in 0..<Int.random(in: 1...3, using: &generator) { act(before: call) }
    }
  }

  private func act(before call: String? = nil) {
    if call == nil { editsBefore = edits }
    if trouble == .edits, mayEdit(before: call), Int.random(in: 0..<8, using: &generator) == 0 {
      return edit()
    }
    guard let number = (0..<3).filter({ !isBusy[$0] }).randomElement(using: &generator) else {
      return
    }
    isBusy[number] = true
    defer { isBusy[number] = false }
    let store = stores[number]
    // Sometimes as if it had not looked for a while.
    if Int.random(in: 0..<4, using: &generator) == 0 { store.table.checkAt = 0 }
    let choice = Int.random(in: 0..<16, using: &generator)
    log.append((call.map { "  before \($0): " } ?? "") + "\(number) does \(choice)")
    switch choice {
    case 0..<7: set(number)
    case 7..<9: synchronize(number)
    case 9..<12: _ = store.checkpoint()
    case 12..<14: store.compact()
    case 14: _ = store.tick(now: counter * 1_000_000_000)
    default:
      // It dies, and another one takes its place.
      if let disk = store.disk as? FaultDisk { machine.kill(disk.process) }
      stores[number] = makeStore(number)
      if number == 0 { setByFirst.removeAll() }
    }
    log.append("  \(number) is done")
  }

  private func set(_ number: Int) {
    counter += 1
    let key = "key\(number).\(Int.random(in: 0..<2, using: &generator))"
    let count = Int.random(in: 0..<30, using: &generator)
    inFlight[key] = counter
    greatest[key] = counter
    let editsBefore = edits
    do {
      let value = PropertyListValue.array(
        Array(repeating: PropertyListValue.integer(counter), count: 1 + count))
      try stores[number].set(value, forKey: key)
    } catch { complaint = "\(error)" }
    edited[key] = edits == editsBefore ? nil : last[key] ?? 0
    last[key] = inFlight[key]
    if number == 0 { setByFirst.insert(key) }
    inFlight[key] = nil
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
    (last, edited, synced) = ([key: counter], [key: counter], [:])
    greatest[key] = max(counter, greatest[key] ?? 0)
    let isInPlace = machine.names[path] != nil && Int.random(in: 0..<3, using: &generator) == 0
    log.append("  edit \(isInPlace ? "in place" : ""): \(key) is \(counter)")
    if isInPlace { machine.editInPlace(path, bytes) } else { machine.edit(path, bytes) }
  }

  private func synchronize(_ number: Int) {
    // What the one that meets errors has set is for itself to store.
    let editsBefore = edits
    let safe = last.filter { key, _ in
      guard hasErrors, key.hasPrefix("key0") else { return edited[key] == nil }
      return number == 0 && setByFirst.contains(key)
    }
    guard stores[number].synchronize(), edits == editsBefore else { return }
    synced.merge(safe) { max($0, $1) }
    for _ in 0..<2 { judge("the end of a synchronize") }
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
    let found = values(of: store)
    if let wrong = wrong(found, isCut: isCut) { return complain(wrong, what, store) }
    // Once more, with something set in between.
    let durable = store.synchronize() ? found : nil
    do { try store.set(.integer(1), forKey: "later") } catch { return complaint = "\(error)" }
    if Bool.random(using: &generator) { _ = store.checkpoint() }
    let second: FaultMachine
    if let durable, Bool.random(using: &generator) {
      second = image.afterPowerCut(using: &generator)
      let now = values(of: second.process().store(at: CrashScript.paths))
      let isEdited = { [edited] (entry: (key: String, value: Int64)) in edited[entry.key] != nil }
      if now.filter({ !isEdited($0) }) != durable.filter({ !isEdited($0) }) {
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
    for key in ["key\(number).0", "key\(number).1"] where edited[key] == nil {
      // Who meets errors may not be able to read what was set before it began.
      if hasErrors, number == 0, !setByFirst.contains(key) { continue }
      let found = stores[number].table.cachedValue(key) { Self.number(in: $0?.pointee.value) ?? 0 }
      if let found, found != last[key] ?? 0, found != inFlight[key] {
        complain("\(key) is \(found) to a thread, not \(last[key] ?? 0)", "before \(call)")
      }
    }
  }

  private func complain(_ wrong: String, _ what: String, _ store: Store? = nil) {
    let issues = store.map { "; \($0.issues)" } ?? ""
    complaint = "\(what): \(wrong)\(issues)\n" + log.suffix(40).joined(separator: "\n")
  }

  private func values(of store: Store) -> [String: Int64] {
    store.snapshot().values.compactMapValues { Self.number(in: $0) }
  }

  private static func number(in value: PropertyListValue?) -> Int64? {
    guard case .array(let items)? = value, case .integer(let number)? = items.first else {
      return nil
    }
    return number
  }

  private func wrong(_ found: [String: Int64], isCut: Bool) -> String? {
    for key in Set(last.keys).union(inFlight.keys).union(greatest.keys) {
      let isCut = isCut || hasErrors && key.hasPrefix("key0")
      let value = found[key] ?? 0
      let isRight =
        isCut
        ? value >= (synced[key] ?? 0) && value <= (greatest[key] ?? 0)
        : [last[key] ?? 0, inFlight[key], edited[key]].contains(value)
      if !isRight {
        return "\(key) is \(value), not \(last[key] ?? 0) (synchronized: "
          + "\(synced[key] ?? 0), under way: \(inFlight[key] ?? 0))"
      }
    }
    return nil
  }
}
