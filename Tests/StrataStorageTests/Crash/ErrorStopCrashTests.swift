import Glibc
import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A process is stopped before any look or change of its checkpoint, while another one meets errors
/// (one look fails, and nothing can be removed), and a third one sets; then it goes on.
@Suite struct ErrorStopCrashTests {
  // S-3, S-6, S-10, S-18
  @Test(arguments: [EACCES, EIO])
  func `a look that fails beside a stopped process loses nothing that others set`(
    code: Int32
  ) throws {
    for stop in 1... {
      var look = 0
      var hasFailed = true
      while hasFailed {
        look += 1
        let meeting = FailingMeeting(stoppingAt: stop, failing: look, with: code)
        try meeting.run()
        guard meeting.hasStopped else { return try #require(stop > 30) }
        hasFailed = meeting.hasFailed
        try #require(
          meeting.complaint == nil,
          "stopped before call \(stop), look \(look) failed: \(meeting.complaint ?? "")")
      }
    }
  }
}

private final class FailingMeeting {
  private let machine = FaultMachine()
  private let stopped: Store
  private let stop: Int
  private let look: Int
  private let code: Int32
  private var calls = 0
  private var looks = 0
  /// Stays alive: a process that ends writes what it has.
  private var failing: Store?
  private(set) var hasStopped = false
  private(set) var hasFailed = false
  private(set) var complaint: String?

  init(stoppingAt stop: Int, failing look: Int, with code: Int32) {
    (self.stop, self.look, self.code) = (stop, look, code)
    stopped = machine.process().store(at: CrashScript.paths)
  }

  func run() throws {
    try stopped.set(.integer(1), forKey: "a")
    try #require(stopped.flush())
    try stopped.set(.integer(2), forKey: "a")
    machine.beforeCall = { [unowned self] _, _ in pause() }
    machine.beforeLook = { [unowned self] _ in pause() }
    _ = stopped.checkpoint()
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
    if left["a"] != .integer(2) || left["c"] != .integer(1) { complaint = "\(moment): \(left)" }
  }
}
