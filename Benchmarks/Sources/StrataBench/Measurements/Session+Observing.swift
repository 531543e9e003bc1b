import CBench
import Foundation
import StrataDefaults

/// What observers hear, and what they cost.
extension Session {
  func measureTelling() throws {
    report.begin(
      "From before a set to the call of an observer in another process",
      "The observer's process sleeps until it is told; a set every two milliseconds. What the "
        + "machine itself takes to wake a process at that pace is the last row: a byte is read, "
        + "and a process that waits for that in an inotify queue looks at the clock.")
    for (contestant, directory) in try prepare(100, "told", { $0.peer.tells }) {
      let store = try contestant.peer.open(directory)
      let child = try Child(.observe, contestant, directory)
      guard try child.line() == "ready" else { throw BenchError("the observer is not ready") }
      usleep(200_000)
      let end = bench_now() + (options.isQuick ? 200_000_000 : 3_000_000_000)
      var count = 0
      while bench_now() < end {
        try store.set(Keys.hot(.integer), 1, from: bench_now())
        count += 1
        usleep(2_000)
      }
      try store.set(Keys.hot(.integer), 1, from: .max)
      let times = try child.numbers()
      try child.wait()
      report.addTexts(
        contestant.name,
        [
          ("p50", Report.time(times[0])), ("p99", Report.time(times[1])),
          ("max", Report.time(times[2])), ("told of sets", "\(Int(times[3])) of \(count)"),
        ])
      if contestant.id == "class" {
        report.note("told", times[0])
        report.note("told p99", times[1])
      }
      store.close()
    }
    try measureWaking()
  }

  private func measureWaking() throws {
    var times = [Int64](repeating: 0, count: options.isQuick ? 100 : 1_300)
    let count = bench_wake("\(options.directory)/waking", 2_000, times.count, &times)
    guard count > 0 else { throw BenchError("no process was woken") }
    let all = Distribution(times.prefix(count).dropFirst(count / 10).map(Double.init))
    report.addTexts(
      "a bare wake-up",
      [
        ("p50", Report.time(all.median)), ("p99", Report.time(all.quantile(0.99))),
        ("max", Report.time(all.max)), ("told of sets", "\(count) of \(times.count)"),
      ])
  }

  func measureObservers() throws {
    report.begin(
      "A set of one key through the class, by who observes",
      "In the setting process unless said; 1,000 keys.")
    try measureOwnObservers()
    try measureOtherProcesses(options.isQuick ? 5 : 100)
  }

  private typealias Observation = StrataDefaults.UserDefaults.KeyObservation

  private func measureOwnObservers() throws {
    let peer = StrataClassPeer()
    let place = try makeDirectory("\(options.directory)/observers")
    try peer.prepare(place, Keys.first(1_000))
    let defaults = try peer.defaults(place)
    let hot = Keys.hot(.integer).texts[0]
    let observe = { (key: String) -> Observation in
      defaults.observe(key, as: Int.self) { (change: StrataDefaults.UserDefaults.KeyChange<Int>) in
        bench_consume(UInt64(bitPattern: Int64(change.new ?? 0)))
      }
    }
    let cases: [(String, [String])] = [
      ("nobody", []), ("one, of another key", [Keys.name(2)]), ("one", [hot]),
      ("1,000, each of a key of its own", (0..<1_000).map(Keys.name)),
      ("1,000 of the key", Array(repeating: hot, count: 1_000)),
    ]
    for (name, keys) in cases {
      var race = Race(effort)
      let observations = keys.map(observe)
      race.add(name) { [self] operations in
        let first = Int(values.take(operations))
        for operation in 0..<operations { defaults.set(first + operation, forKey: hot) }
      }
      let times = try race.run()
      report.addTimes(name, times.map { ("a set", $0.value.median) })
      withExtendedLifetime(observations) {}
    }
  }

  private func measureOtherProcesses(_ count: Int) throws {
    let contestant = try Contestant(id: "class")
    let place = try makeDirectory("\(options.directory)/many-observers")
    try contestant.peer.prepare(place, Keys.first(1_000))
    let store = try contestant.peer.open(place)
    let children = try (0..<count).map { _ in try Child(.listen, contestant, place) }
    for child in children {
      guard try child.line() == "ready" else { throw BenchError("an observer is not ready") }
    }
    usleep(500_000)
    var race = Race(effort)
    race.add("set") { [self] operations in
      try store.set(Keys.hot(.integer), operations, from: values.take(operations))
    }
    let burst = try race.run()
    var times: [Double] = []
    for _ in 0..<(options.isQuick ? 5 : 50) {
      usleep(50_000)  // all of them sleep again
      let start = bench_now()
      try store.set(Keys.hot(.integer), 1, from: values.take(1))
      times.append(Double(bench_now() - start))
    }
    report.addTimes(
      "\(count) processes, all of the key",
      [("a set", burst["set"]?.median ?? .nan), ("after a pause", Distribution(times).median)])
    try store.set(Keys.hot(.integer), 1, from: .max)
    for child in children { child.kill() }
  }
}
