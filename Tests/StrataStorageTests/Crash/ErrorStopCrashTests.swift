import Glibc
import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A process is stopped before any look or change of what it does, while another one meets errors
/// (one look fails, and nothing can be removed), and a third one sets; then it goes on.
@Suite struct ErrorStopCrashTests {
  /// What the stopped process was doing.
  enum Work: CaseIterable {
    case checkpoint, compacting
  }

  /// Where only memory is the machine's own, a death leaves what a power cut leaves elsewhere.
  private static let kinds = FaultMachine.Kind.allCases.filter { $0 != .sharedInMemory }

  // S-3, S-6, S-10, S-18, S-19
  @Test(arguments: kinds, Work.allCases)
  func `a look that fails beside a stopped process loses nothing that others set`(
    kind: FaultMachine.Kind, work: Work
  ) throws {
    for code in [EACCES, EIO] { try meet(on: kind, work, code) }
  }

  private func meet(on kind: FaultMachine.Kind, _ work: Work, _ code: Int32) throws {
    for stop in 1... {
      var look = 0
      var hasFailed = true
      while hasFailed {
        look += 1
        let meeting = FailingMeeting(kind, work, stoppingAt: stop, failing: look, with: code)
        try meeting.run()
        guard meeting.hasStopped else { return try #require(stop > 10) }
        hasFailed = meeting.hasFailed
        try #require(
          meeting.complaint == nil,
          "stopped before call \(stop), look \(look) failed (\(code)): \(meeting.complaint ?? "")")
      }
    }
  }
}

private final class FailingMeeting {
  private let machine: FaultMachine
  private let work: ErrorStopCrashTests.Work
  private let stopped: Store
  private let stop: Int
  private let look: Int
  private let code: Int32
  private var calls = 0
  private var looks = 0
  /// It lives on.
  private var failing: Store?
  private(set) var hasStopped = false
  private(set) var hasFailed = false
  private(set) var complaint: String?

  init(
    _ kind: FaultMachine.Kind, _ work: ErrorStopCrashTests.Work, stoppingAt stop: Int,
    failing look: Int, with code: Int32
  ) {
    machine = FaultMachine(kind)
    // Those that are waited for go on only after that.
    (machine.flushPatience, machine.compactionSizeMin) = (0, 0)
    (self.work, self.stop, self.look, self.code) = (work, stop, look, code)
    stopped = machine.process().store(at: CrashScript.paths)
  }

  func run() throws {
    try stopped.set(.integer(1), forKey: "a")
    try #require(stopped.flush())
    // So often that there is something to compact.
    for value in Int64(0)...10 { try stopped.set(.integer(value), forKey: "a") }
    machine.beforeCall = { [unowned self] _, _ in pause() }
    machine.beforeLook = { [unowned self] _ in pause() }
    switch work {
    case .checkpoint: _ = stopped.checkpoint()
    case .compacting: stopped.compact()
    }
    (machine.beforeCall, machine.beforeLook) = (nil, nil)
    if complaint == nil { judge("when it had gone on") }
  }

  private func pause() {
    calls += 1
    guard calls == stop, !hasStopped else { return }
    hasStopped = true
    do { try meet() } catch { complaint = "\(error)" }
  }

  private func meet() throws {
    let failing = machine.process().store(at: CrashScript.paths)
    let number = try #require(failing.disk as? FaultDisk).process
    machine.quietError = { [unowned self] _, process in
      guard process == number else { return nil }
      looks += 1
      if looks == look { hasFailed = true }
      return looks == look ? code : nil
    }
    machine.error = { _, call, process in
      process == number && call.hasPrefix("remove") ? EIO : nil
    }
    try failing.set(.integer(1), forKey: "b")
    (machine.error, machine.quietError) = (nil, nil)
    let third = machine.process().store(at: CrashScript.paths)
    try third.set(.integer(1), forKey: "c")
    judge("meanwhile")
    self.failing = failing
  }

  private func judge(_ moment: String) {
    let left = machine.afterDeath().process().store(at: CrashScript.paths).snapshot().values
    if left["a"] != .integer(10) || left["c"] != .integer(1) { complaint = "\(moment): \(left)" }
  }
}
