import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A process that listens, some of whose calls fail when it takes in what others did.
@Suite(.serialized) struct FailingListenerCrashTests {
  private static let stories = FoundDomain.Story.allCases.filter {
    ![.restarted, .restartedAnnounced, .unreadRestarted].contains($0)
  }

  // O-5, O-6, S-10, S-24
  @Test(arguments: stories)
  func `no calls that fail keep a change from who listens`(story: FoundDomain.Story) throws {
    for (code, count, looks) in [
      (EIO, 1, 1), (EIO, 1, 2), (EIO, 2, 1), (EIO, 1_000, 1), (EACCES, 1, 1), (EACCES, 1_000, 1),
      (ENOMEM, 1, 1), (EMFILE, 1, 1),
    ] {
      var (calls, first) = (0, 0)
      while calls >= first {
        first += 1
        let trial = try FailingListener(to: story, code, first..<first + count)
        calls = try trial.run(looks: looks)
        try #require(
          trial.complaint == nil, "\(count) from call \(first) (\(trial.failed)), \(code)")
      }
    }
  }
}

/// What a process is told, some of whose calls fail.
final class FailingListener {
  private let domain: FoundDomain
  private let watch: Store.Watch
  private let failing: Range<Int>
  private let code: Int32
  /// What was told, or known before.
  private let told: Guarded<[String: PropertyListValue]>
  private let fault = Guarded<String?>(nil)
  private(set) var failed = "none"

  var complaint: String? { fault.withLock { $0 } }

  init(to story: FoundDomain.Story, _ code: Int32, _ failing: Range<Int>) throws {
    (self.code, self.failing) = (code, failing)
    let told = Guarded<[String: PropertyListValue]>([:])
    let fault = fault
    var watch: Store.Watch?
    domain = try FoundDomain(after: story, isKnown: true) { store in
      // Changes are taken in by hand, and not by a thread.
      (store.disk as? FaultDisk)?.machine.quietError = { call, _ in
        call == .thread ? EAGAIN : nil
      }
      told.withLock { $0 = store.snapshot().values }
      watch = store.addListener { touches in
        told.withLock { told in
          for touch in touches {
            if touch.old != told[touch.key] { fault.withLock { $0 = $0 ?? "wrong: \(touch)" } }
            told[touch.key] = touch.new
          }
        }
      }
    }
    self.told = told
    self.watch = try #require(watch)
  }

  /// - Parameter looks: at how many looks of the watcher calls may fail.
  /// - Returns: how many calls could have failed.
  func run(looks: Int) throws -> Int {
    defer { watch.cancel() }
    let store = domain.bystander
    let calls = try FailingCalls(of: store, failing, with: code)
    var outlook = store.deliver()
    for _ in 1..<looks where outlook != .settled { outlook = store.deliver() }
    calls.end()
    failed = calls.failed
    // As the watcher does; that the list is gone is believed at the second look.
    for _ in 0..<2 where outlook != .settled { outlook = store.deliver() }
    expect(domain.values, "later")
    try domain.user.set(.integer(7), forKey: "z")
    _ = store.deliver()
    expect(domain.values.merging(["z": .integer(7)]) { $1 }, "after a set")
    return calls.count
  }

  private func expect(_ expected: [String: PropertyListValue], _ when: String) {
    let told = told.withLock { $0 }
    if told != expected { fault.withLock { $0 = $0 ?? "\(when) \(told), not \(expected)" } }
  }
}
