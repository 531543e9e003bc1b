import Foundation

/// What the kernel tells of another process, without asking it.
package struct OtherProcess {
  private let pid: Int32

  package init(_ pid: Int32) { self.pid = pid }

  package func threads() throws -> Int { try tasks().count }

  /// How often its threads went to sleep again in so many seconds, from when all of them sleep; if
  /// they never do, in ten minutes.
  ///
  /// Processor time would be counted in hundredths of a second: what wakes up twenty times a
  /// second takes less.
  package func wakeUps(during seconds: Double) throws -> Int {
    let end = ContinuousClock.now + .seconds(600)
    var start = try sleeps()
    while try !areAllAsleep() {
      if .now >= end { return try sleeps() - start }
    }
    start = try sleeps()
    Thread.sleep(forTimeInterval: seconds)
    return try sleeps() - start
  }

  /// Whether they sleep and have done so for a moment: a thread is said to sleep just before its
  /// sleep is counted.
  private func areAllAsleep() throws -> Bool {
    let start = try sleeps()
    Thread.sleep(forTimeInterval: 0.02)
    return try sleeps() == start
      && tasks().allSatisfy { try status(of: $0, "State").hasPrefix("S") }
  }

  private func sleeps() throws -> Int {
    try tasks().reduce(0) { try $0 + (Int(status(of: $1, "voluntary_ctxt_switches")) ?? 0) }
  }

  private func tasks() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")
  }

  private func status(of task: String, _ name: String) throws -> Substring {
    let status = try String(contentsOfFile: "/proc/\(pid)/task/\(task)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return line?.split(separator: "\t").last ?? ""
  }
}
