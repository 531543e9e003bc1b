import Glibc
import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Some calls of one process fail, whatever it does, and however it finds the domain.
@Suite(.serialized) struct FailingCallCrashSlowTests {
  // S-3, S-6, S-8, S-9, S-10, S-24
  @Test(arguments: FoundDomain.Story.allCases)
  func `no calls that fail lose or hide a value, an edit or a set`(
    story: FoundDomain.Story
  ) throws {
    for act in FailingAct.Act.allCases {
      // A flush waits a second before it replaces a damaged list.
      if act == .flush && story == .damaged { continue }
      for (isKnown, isSearched) in [(true, false), (false, false), (false, true)] {
        for (code, counts) in [
          (EIO, [1, 2, 1_000]), (EACCES, [1, 1_000]), (ENOMEM, [1]), (ENOSPC, [1]), (EMFILE, [1]),
        ] {
          for count in counts {
            var (calls, first) = (0, 0)
            while calls >= first {
              first += 1
              let domain = try FoundDomain(
                after: story, isKnown: isKnown, isSearched: isSearched)
              let trial = FailingAct(
                act, in: domain, isKnown: isKnown, code, first..<first + count)
              calls = try trial.run()
              try #require(
                trial.complaint == nil,
                "\(act), known: \(isKnown), \(count) from call \(first) (\(trial.failed)), \(code)")
            }
          }
        }
      }
    }
  }
}

/// What one process does, some of whose calls fail, and what others find then.
final class FailingAct {
  enum Act: CaseIterable {
    case read, readAll, set, remove, apply, flush, synchronize, rest, compact
  }

  private let domain: FoundDomain
  private let act: Act
  private let code: Int32
  private let failing: Range<Int>
  private let isKnown: Bool
  private var expected: [String: PropertyListValue]
  /// What it is about to set, or to remove.
  private var changed: [String: PropertyListValue?] = [:]
  private(set) var complaint: String?
  /// The first call that failed.
  private(set) var failed = "none"

  private var machine: FaultMachine { domain.machine }
  private var user: Store { domain.user }

  init(
    _ act: Act, in domain: FoundDomain, isKnown: Bool, _ code: Int32, _ failing: Range<Int>
  ) {
    (self.act, self.domain, self.isKnown) = (act, domain, isKnown)
    (self.code, self.failing) = (code, failing)
    expected = domain.values
  }

  /// - Returns: how many calls could have failed.
  func run() throws -> Int {
    let calls = try whileFailing { try perform() }
    // What is said to be stored is stored.
    if user.unsaved.isEmpty, user.loss == nil, user.canAppend {
      for left in [machine.afterDeath(), machine.afterRestart()] {
        judge(look(again: left.process().store(at: FoundDomain.paths)), "at a death")
      }
    }
    tick()
    judge(look(again: user), "it")
    flush()
    judge(found(on: machine), "a newcomer")
    judge(look(again: domain.bystander), "a bystander")
    let other = machine.process().store(at: FoundDomain.paths)
    try other.set(.integer(7), forKey: "z")
    expected["z"] = .integer(7)
    // At once, and not only when they look for edits again.
    for store in [other, user, domain.bystander] { judge(store.snapshot().values, "after a set") }
    flush()
    judge(user.snapshot().values, "it, after a flush")
    judge(found(on: machine.afterDeath()), "after a death")
    judge(found(on: machine.afterRestart()), "after a restart")
    let lasting = user.issues.filter {
      [.notStored, .unreadable, .shortage].contains($0.kind)
    }
    if !lasting.isEmpty { complain("what is over is an issue still: \(lasting)") }
    return calls
  }

  private func whileFailing(_ body: () throws -> Void) throws -> Int {
    let calls = try FailingCalls(of: user, failing, with: code)
    if isKnown { lookWithoutLock() }
    user.table.checkAt = 0  // as if it had not looked for a while
    try body()
    calls.end()
    (machine.beforeCall, machine.beforeLook) = (nil, nil)
    failed = calls.failed
    return calls.count
  }

  /// At each call, a thread that takes no lock reads what the process knew, or what is there.
  private func lookWithoutLock() {
    let (before, known) = (expected, user.content.all())
    let look = { [unowned self] in
      for key in Set(expected.keys).union(known.keys) {
        guard let found = user.table.cachedValue(key, { $0?.pointee.value }) else { continue }
        if ![known[key], before[key], expected[key], changed[key] ?? nil].contains(found) {
          complain("a thread reads \(key) = \(String(describing: found))")
        }
      }
    }
    machine.beforeCall = { _, _ in look() }
    machine.beforeLook = { _ in look() }
  }

  private func perform() throws {
    switch act {
    case .read: _ = user.value(forKey: "a")
    case .readAll: _ = user.snapshot()
    case .set: try apply(Change(key: "n", value: .integer(9)))
    case .remove: try apply(Change(key: "b", value: nil))
    case .apply: try apply(Change(key: "b", value: nil), Change(key: "n", value: .integer(9)))
    case .flush: user.flush()
    case .synchronize: _ = user.synchronize()
    case .rest: _ = user.rest()
    case .compact: user.compact()
    }
  }

  private func apply(_ changes: Change...) throws {
    for change in changes { changed[change.key] = change.value }
    if changes.count == 1 {
      try user.set(changes[0].value, forKey: changes[0].key)
    } else {
      try user.apply(ChangeSet(changes))
    }
    for change in changes { expected[change.key] = change.value }
  }

  /// What the flusher does in the minutes after it, without another set or read.
  private func tick() {
    let hasPending = user.mayHavePending
    for minute in Int64(1)...5 {
      user.flushSchedule.retryNow()
      user.plist.unsoundSince = -2_000_000_000
      _ = user.tick(now: minute * 60_000_000_000)
    }
    if hasPending, user.mayHavePending { complain("it is not flushed: \(user.issues)") }
  }

  private func flush() {
    // A damaged list is replaced without waiting for more of it.
    user.plist.unsoundSince = -2_000_000_000
    if !user.flush() { complain("no flush: \(user.issues)") }
  }

  private func found(on machine: FaultMachine) -> [String: PropertyListValue] {
    machine.process().store(at: FoundDomain.paths).snapshot().values
  }

  /// That the list is gone is believed at the second look.
  private func look(again store: Store) -> [String: PropertyListValue] {
    for _ in 0..<2 {
      store.table.checkAt = 0
      _ = store.snapshot()
    }
    return store.snapshot().values
  }

  private func judge(_ found: [String: PropertyListValue], _ who: String) {
    if found != expected { complain("\(who): \(found), not \(expected)") }
  }

  private func complain(_ text: String) { complaint = complaint ?? text }
}
