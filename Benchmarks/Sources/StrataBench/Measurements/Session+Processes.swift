import CBench
import Foundation

/// What shows in other processes only.
extension Session {
  func measureFirstReads() throws {
    report.begin(
      "Opening and the first read in a fresh process",
      "From before the store is opened to the first value; the program itself is loaded before.")
    for size in options.isQuick ? [100] : [100, 1_000, 100_000] {
      let field = try prepare(size, "first") { _ in true }
      let samples = try firstReads(.first, in: field)
      report.add("\(size) keys", field.map { ($0.0.name, samples[$0.0.name] ?? .nan) })
      report.note("first \(size)", samples[StrataPeer.name] ?? .nan)
      report.note("class first \(size)", samples[StrataClassPeer.name] ?? .nan)
      guard size == 100 else { continue }
      let beside = try firstReads(.firstOfThreads, in: field)
      report.add(
        "\(size) keys, beside a thread", field.map { ($0.0.name, beside[$0.0.name] ?? .nan) })
    }
  }

  /// The medians.
  private func firstReads(
    _ task: ChildTask, in field: [(Contestant, String)]
  ) throws -> [String: Double] {
    var samples: [String: [Double]] = [:]
    for _ in 0..<(options.isQuick ? 3 : 15) {
      for (contestant, directory) in field {
        let child = try Child(task, contestant, directory)
        samples[contestant.name, default: []] += try child.numbers()
        try child.wait()
      }
    }
    return samples.mapValues { Distribution($0).median }
  }

  func measureVisibility() throws {
    report.begin(
      "From before a set to the moment a process that spins reading has the value",
      "Between the set's start and the return of the reader's clock.")
    for (contestant, directory) in try prepare(100, "visible", { $0.peer.isCoherent }) {
      let store = try contestant.peer.open(directory)
      let child = try Child(.watch, contestant, directory)
      guard try child.line() == "ready" else { throw BenchError("the watcher is not ready") }
      let end = bench_now() + (options.isQuick ? 100_000_000 : 1_500_000_000)
      while bench_now() < end {
        try store.set(Keys.hot(.integer), 1, from: bench_now())
        usleep(300)
      }
      try store.set(Keys.hot(.integer), 1, from: .max)
      let times = try child.numbers()
      try child.wait()
      report.addTimes(
        contestant.name, [("p50", times[0]), ("p99", times[1]), ("max", times[2])])
      if contestant.id == "strata" { report.note("visible", times[0]) }
      store.close()
    }
  }

  func measureIdle() throws {
    report.begin(
      "Three seconds in which a process does nothing after it read and set",
      "Threads at the end; time of processors in all three seconds, the flush included, and in the "
        + "last one.")
    let field = try prepare(100, "idle") { _ in true }
    // All at once: they do nothing, after all.
    let children = try field.map { ($0.0, try Child(.idle, $0.0, $0.1)) }
    for (contestant, child) in children {
      let numbers = try child.numbers()
      try child.wait()
      report.addTexts(
        contestant.name,
        [
          ("threads", "\(Int(numbers[0]))"), ("in all", Report.time(numbers[1])),
          ("last second", Report.time(numbers[2])),
        ])
      guard contestant.id == "strata" else { continue }
      report.note("idle threads", numbers[0])
      report.note("idle time", numbers[2])
    }
  }

  func measureContention() throws {
    let seconds = options.isQuick ? 1 : 10
    report.begin(
      "Two processes that set without a pause, for \(seconds) s",
      "100 keys. Sets of both together, for each of them, and the longest wait of either.")
    for (contestant, directory) in try prepare(100, "contend", { $0.peer.isCoherent })
    where contestant.name != "GSettings" {
      let children = try (0..<2).map { _ in
        try Child(.contend, contestant, directory, [String(seconds)])
      }
      let numbers = try children.map { try $0.numbers() }
      for child in children { try child.wait() }
      let sets = numbers.reduce(0) { $0 + $1[0] }
      report.addTimes(
        contestant.name,
        [
          ("a set", Double(seconds) * 1e9 / sets),
          ("longest", numbers.map { $0[1] }.max() ?? .nan),
        ])
    }
  }

  /// Stores that nobody has open.
  func prepare(
    _ size: Int, _ purpose: String, _ isWanted: (Contestant) -> Bool
  ) throws -> [(Contestant, String)] {
    let keys = Keys.first(size)
    var field: [(Contestant, String)] = []
    for contestant in contestants.all
    where isWanted(contestant) && size <= contestant.peer.limits.keys {
      let place = try makeDirectory(
        "\(options.directory)/\(contestant.name)-\(purpose)-\(size)")
      do {
        try contestant.peer.prepare(place, keys)
        field.append((contestant, place))
      } catch {
        if contestant.id == "strata" { throw error }
        contestants.remove(contestant, because: error)
      }
    }
    return field
  }
}
