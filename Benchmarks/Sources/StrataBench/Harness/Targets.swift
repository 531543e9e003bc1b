/// What we promise ourselves, and whether this run shows it.
struct Targets {
  private struct Target {
    let name: String
    let figure: Double?
    let must: Double
    let aim: Double
    var isAtLeast = false
    let text: (Double) -> String
  }

  private let report: Report

  init(_ report: Report) { self.report = report }

  var markdown: String {
    var lines = [
      "## What we mean to reach", "", "| | measured | must | | aim | |",
      "|---|---|---|---|---|---|",
    ]
    lines += targets.map { target in
      let cells = [
        target.name, target.figure.map(target.text) ?? "not measured", target.text(target.must),
        verdict(target, target.must, "MISSED"), target.text(target.aim),
        verdict(target, target.aim, "not yet"),
      ]
      return "| \(cells.joined(separator: " | ")) |"
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func verdict(_ target: Target, _ limit: Double, _ miss: String) -> String {
    guard let figure = target.figure else { return "" }
    return (target.isAtLeast ? figure >= limit : figure <= limit) ? "met" : miss
  }

  private var targets: [Target] { ofReadsAndSets + ofProcesses }

  private var ofReadsAndSets: [Target] {
    let factor = { (value: Double) in "\(Report.number(value))×" }
    return [
      time("Bool or Int, one key, 1,000 keys", worst("read", ["Bool hot", "Int hot"]), 40, 6),
      time(
        "Bool or Int, random keys, 1,000 keys", worst("read", ["Bool random", "Int random"]), 40,
        6),
      time("String, 1,000 keys", worst("read", ["String hot", "String random"]), 80, 30),
      Target(
        name: "two threads, times one (worst of all rows)",
        figure: report.least(of: "threads", containing: " \(StrataPeer.name) "), must: 1.8, aim: 2,
        isAtLeast: true, text: factor),
      time(
        "the class: Bool, Int, String, one key, slowest size", hotOfClass, 60, 30),
      time(
        "the class: random keys, 1,000 keys",
        worst("class read", ["Bool random", "Int random", "String random"]), 60, 30),
      time(
        "the class: Int, registered and not set, slowest size",
        report.greatest(of: "class registered"), 80, 40),
      time(
        "the class: set and get, alternating, slowest size",
        report.greatest(of: "class set and read"), 3_000, 1_000),
      time("the class: first read, 100 keys", report.figure("class first 100"), 250_000, 200_000),
      time("set, random keys (slowest size)", report.greatest(of: "set random"), 1_000, 150),
      Target(
        name: "set of one key, 100,000 keys to 10", figure: ratio("set hot"), must: 1.5, aim: 1.1,
        text: factor),
      Target(
        name: "set of random keys, 100,000 keys to 10", figure: ratio("set random"), must: 1.5,
        aim: 1.1, text: factor),
      Target(
        name: "filling, per key, 100,000 keys to 10", figure: ratio("fill"), must: 1.5, aim: 1.1,
        text: factor),
      Target(
        name: "set + synchronize to pwrite + fdatasync (worst size)",
        figure: report.greatest(of: "sync"), must: 1.3, aim: 1.05, text: factor),
    ]
  }

  private var ofProcesses: [Target] {
    let factor = { (value: Double) in "\(Report.number(value))×" }
    let count = { (value: Double) in Report.number(value) }
    return [
      time("set, seen by a reading process", report.figure("visible"), 100_000, 30_000),
      time("set, told to an observer in another process", report.figure("told"), 100_000, 30_000),
      time("the same, of 100 the slowest", report.figure("told p99"), 1_000_000, 100_000),
      time("first read, 100 keys", report.figure("first 100"), 120_000, 100_000),
      time("first read, 100,000 keys", report.figure("first 100000"), 1_000_000, 500_000),
      Target(
        name: "allocations in a million reads of Bool and Int",
        figure: report.greatest(of: "allocations", except: "String"), must: 0, aim: 0, text: count),
      Target(
        name: "system calls in a million reads", figure: report.greatest(of: "system calls"),
        must: 0.5, aim: 0.5, text: count),
      Target(
        name: "threads of an idle process", figure: report.figure("idle threads"), must: 1, aim: 1,
        text: count),
      Target(
        name: "a program that reads one setting, with the class, to Foundation's",
        figure: ofProgram("Foundation").map { $0.ours / $0.other }, must: 1, aim: 0.95,
        text: factor),
      time(
        "the same, beyond an empty program with Foundation",
        ofProgram("empty, with Foundation").map { $0.ours - $0.other }, 1_000_000, 500_000),
      Target(
        name: "system calls of a program's one read, with the class",
        figure: report.figure("program calls \(StrataClassPeer.name)"), must: 25, aim: 20,
        text: count),
      Target(
        name: "`defaults read`, whole process, to the fastest peer's",
        figure: report.figure("command read"), must: 1, aim: 0.5, text: factor),
      Target(
        name: "`defaults write`, whole process, to the fastest peer's",
        figure: report.figure("command write"), must: 1, aim: 0.5, text: factor),
      time("processor time of an idle second", report.figure("idle time"), 1_000_000, 100_000),
    ]
  }

  private func ofProgram(_ other: String) -> (ours: Double, other: Double)? {
    guard let ours = report.figure("program read \(StrataClassPeer.name)"),
      let other = report.figure("program read \(other)")
    else { return nil }
    return (ours, other)
  }

  private func time(_ name: String, _ figure: Double?, _ must: Double, _ aim: Double) -> Target {
    Target(name: name, figure: figure, must: must, aim: aim, text: Report.time)
  }

  private var hotOfClass: Double? {
    let figures = Kind.allCases.flatMap { kind in
      [10, 1_000, 100_000].map { report.figure("class read \(kind.name) hot \($0)") }
    }
    return figures.compactMap(\.self).max()
  }

  private func worst(_ part: String, _ names: [String]) -> Double? {
    names.compactMap { report.figure("\(part) \($0) 1000") }.max()
  }

  private func ratio(_ name: String) -> Double? {
    guard let many = report.figure("\(name) 100000"), let few = report.figure("\(name) 10")
    else { return nil }
    return many / few
  }
}
