import Glibc
import StrataTesting
import Synchronization
import Testing

@testable import StrataStorage

/// What two processes commit on a file system, and what must be found when they are gone.
///
/// Each writer's numbers follow one another, and each commit tells which of the other's it saw:
/// so the last number says what every key must hold, and what the other writer's last must be.
final class CommitLedger {
  private let disk: RealFileSystem
  private let plist: String
  private let counts: UnsafeMutablePointer<Atomic<Int64>>
  private let countsPath: String
  private var last: [Int64] = [-1, -1]
  /// How many commits were found, and how many that had returned were not.
  private(set) var found: Int64 = 0
  private(set) var missing: Int64 = 0

  private static let keys: Int64 = 50

  init(on disk: RealFileSystem) throws {
    self.disk = disk
    plist = disk.directory + "/com.example.ledger.plist"
    countsPath = disk.base + "/counts"
    let file = open(countsPath, O_RDWR | O_CREAT, 0o600)
    defer { close(file) }
    try #require(file >= 0 && ftruncate(file, 4096) == 0)
    let base = try #require(mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0))
    counts = base.assumingMemoryBound(to: Atomic<Int64>.self)
  }

  deinit { munmap(counts, 4096) }

  private func count(_ index: Int) -> Int64 { counts[index].load(ordering: .acquiring) }

  /// Has both commit for a while, cuts the power if so asked, kills them, and looks.
  /// - Returns: what is wrong.
  func run(
    milliseconds: Int, flushingAfter flushes: Int, cutting: Bool
  ) throws -> String? {
    for index in 0..<4 { counts[index].store(last[index % 2] + 1, ordering: .releasing) }
    let writers = try (0..<2).map { writer in
      let probe = try serve()
      try probe.send(
        "commit-forever \(countsPath) \(writer) \(last[writer] + 1) \(Self.keys) \(flushes)")
      return probe
    }
    let hasBegun = holds(within: 600) { (0..<2).allSatisfy { count(2 + $0) > last[$0] + 1 } }
    if !hasBegun { return "nothing is synchronized" }
    poll(nil, 0, Int32(milliseconds))
    // What is synchronized while the power is cut may be lost: a kernel that was told to forget
    // what is not on the disk tells a sync that was under way of no error.
    let synchronized = (0..<2).map { count(2 + $0) }
    if cutting { try disk.cut() }
    for writer in writers { writer.kill(SIGKILL) }
    for writer in writers { try #require(try writer.wait() == .signalled(SIGKILL)) }
    let promised = cutting ? synchronized : (0..<2).map { count($0) }
    if cutting { try disk.restart() }
    return try judge(promised)
  }

  private func serve() throws -> Probe {
    let probe = try Probe.serving(plist)
    try #require(try probe.ask("pretend-boot \(disk.boot)") == "ok")
    return probe
  }

  private func judge(_ promised: [Int64]) throws -> String? {
    let probe = try serve()
    let line = try probe.ask("values")
    let issues = try probe.ask("issues")
    if let complaint = complaint(line, promised) {
      let look = "ls -laR \(disk.directory); grep \(disk.base) /proc/mounts; dmesg | tail -n 20"
      let listing = try StrataStorageTests.run("sh", "-c", look)
      return "\(complaint); \(issues)\n\(try probe.ask("check"))\n\(listing ?? "")"
    }
    if !issues.isEmpty { return issues }
    let findings = try probe.ask("check")
    if findings.contains("broken") { return findings }
    probe.kill(SIGKILL)
    _ = try probe.wait()
    return nil
  }

  private func complaint(_ line: String, _ promised: [Int64]) -> String? {
    var values: [String: [Int64]] = [:]
    for pair in line.split(separator: " ") {
      let parts = pair.split(separator: "=")
      values[String(parts[0])] = parts[1].split(separator: ",").compactMap { Int64($0) }
    }
    for writer in 0..<2 {
      let before = last[writer]
      last[writer] = values["w\(writer).last"]?.first ?? -1
      found += last[writer] - before
      missing += max(0, count(writer) - last[writer] - 1)
    }
    for writer in 0..<2 {
      let last = last[writer]
      if last + 1 < promised[writer] { return "lost: \(last), promised \(promised[writer])" }
      if last > count(writer) { return "wrong: \(last) was never set" }
      for key in 0..<Self.keys {
        let number = last - (last - key + Self.keys) % Self.keys
        let (left, right) = (values["w\(writer).a\(key)"], values["w\(writer).b\(key)"])
        if left != right { return "half: \(number) of \(last)" }
        if number < 0 || last < 0 {
          if left != nil { return "wrong: key \(key) is there after \(last)" }
          continue
        }
        guard let left, left.count == 2, left[0] == number else {
          return "wrong: key \(key) is \(left.map { "\($0)" } ?? "-") after \(last)"
        }
        if left[1] > self.last[1 - writer] {
          return "no prefix: \(left) of \(writer), but \(self.last) last"
        }
      }
    }
    return nil
  }
}
