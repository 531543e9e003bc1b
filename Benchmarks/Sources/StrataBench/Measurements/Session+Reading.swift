import CBench
import Foundation

/// Reads of open stores.
extension Session {
  func measureReads(_ field: Field) throws {
    report.begin("Reads, one thread")
    for kind in Kind.allCases {
      try raceReads(field, "\(kind.name), one key, \(field.count) keys", "read \(kind.name) hot") {
        try $0.readHot(kind, $1)
      }
      let keys = Keys.random(kind, of: field.count)
      try raceReads(
        field, "\(kind.name), random keys, \(field.count) keys", "read \(kind.name) random"
      ) { try $0.read(kind, keys, $1) }
    }
    try raceRegistered(field)
  }

  private func raceRegistered(_ field: Field) throws {
    var race = Race(effort)
    for entry in field.entries {
      guard let store = entry.store as? any RegisteringStore else { continue }
      store.register()
      guard store.readRegistered(1) == 7 else { throw BenchError("\(entry.name) forgot a value") }
      race.add(entry.name) { bench_consume(UInt64(bitPattern: store.readRegistered($0))) }
    }
    let times = try race.run()
    report.add(
      "Int, registered and not set, \(field.count) keys",
      field.entries.compactMap { entry in times[entry.name].map { (entry.name, $0.median) } })
    report.note("class registered \(field.count)", times[StrataClassPeer.name]?.median ?? .nan)
  }

  private func raceReads(
    _ field: Field, _ title: String, _ figure: String,
    _ read: @escaping (any PeerStore, Int) throws -> Int64
  ) throws {
    var race = Race(effort)
    for entry in field.entries {
      race.add(entry.name) {
        bench_consume(UInt64(bitPattern: try read(entry.store, $0)))
      }
    }
    let times = try race.run()
    report.add(title, field.entries.map { ($0.name, times[$0.name]?.median ?? .nan) })
    report.note("\(figure) \(field.count)", times[StrataPeer.name]?.median ?? .nan)
    report.note("class \(figure) \(field.count)", times[StrataClassPeer.name]?.median ?? .nan)
  }

  func measureThreads(_ field: Field) throws {
    report.begin(
      "Two threads that read Ints, time per read of both together",
      "The fastest tenth of the samples: a thread that has to wait for a processor says nothing "
        + "here. Plain arithmetic is what the machine has to offer.")
    let hot = Keys.hot(.integer)
    let random = Keys.random(.integer, of: field.count)
    try raceThreads(field, "one key", "threads hot", hot)
    try raceThreads(field, "random keys", "threads random", random)
  }

  private func raceThreads(
    _ field: Field, _ title: String, _ figure: String, _ keys: Keys
  ) throws {
    // Each thread has keys of its own: counting references to the same ones would be measured too.
    let rings = [keys, keys.copy()]
    var works: [(name: String, work: Pair.Work)] = [
      ("arithmetic", { operations, _ in bench_arithmetic(operations) })
    ]
    for entry in field.entries {
      let store = entry.store
      let isHot = keys.texts.count == 1
      works.append(
        (
          entry.name,
          { operations, thread in
            let sum =
              try isHot
              ? store.readHot(.integer, operations)
              : store.read(.integer, rings[thread], operations)
            bench_consume(UInt64(bitPattern: sum))
          }
        ))
    }
    // Short samples, of which some fall between what else the processors have to do.
    var race = Race(
      Effort(
        sample: effort.sample / 5, time: effort.time, samplesMin: effort.samplesMin,
        samplesMax: effort.samplesMax * 5))
    for (name, work) in works {
      race.add(name + " 1") { try work($0, 0) }
      race.addMeasured(name + " 2") { [pair] in try pair.run($0, work) }
    }
    let times = try race.run()
    var cells: [(column: String, value: Double)] = []
    var factors: [(column: String, value: Double)] = []
    for (name, _) in works {
      guard let one = times[name + " 1"]?.quantile(0.1), let two = times[name + " 2"]?.quantile(0.1)
      else { continue }
      cells.append((name, two))
      factors.append((name, one / two))
      report.note("\(figure) \(name) \(field.count)", one / two)
    }
    report.add("\(title), \(field.count) keys", cells)
    report.addNumbers("– times as fast as one thread", factors)
  }

  /// What reads cost besides time. Counted for ours alone: it is a promise of ours.
  func measureCost(_ field: Field) throws {
    report.begin("What a million of our reads cost besides time")
    guard let entry = field.entries.first else { return }
    for kind in Kind.allCases {
      let (allocations, bytes) = try countAllocations(entry.store, kind)
      var cells: [(column: String, value: Double)] = [
        ("allocations", allocations), ("bytes kept", bytes),
      ]
      if let calls = try countSystemCalls(entry, kind) {
        cells.append(("system calls", calls))
        report.note("system calls \(kind.name) \(field.count)", calls)
      }
      report.addNumbers("\(kind.name), \(field.count) keys", cells)
      report.note("allocations \(kind.name) \(field.count)", allocations)
    }
  }

  private func countAllocations(
    _ store: any PeerStore, _ kind: Kind
  ) throws -> (allocations: Double, bytes: Double) {
    let keys = Keys.random(kind, of: 10)
    bench_consume(UInt64(bitPattern: try store.read(kind, keys, 1_000)))
    let (count, bytes) = (bench_allocations(), bench_bytes_in_use())
    let sum = try store.read(kind, keys, 1_000_000)
    let (countAfter, bytesAfter) = (bench_allocations(), bench_bytes_in_use())
    bench_consume(UInt64(bitPattern: sum))
    return (Double(countAfter - count), Double(bytesAfter) - Double(bytes))
  }

  /// Counted by strace: a process that reads ten million times, less one that does not.
  private func countSystemCalls(_ entry: Field.Entry, _ kind: Kind) throws -> Double? {
    guard let strace = find("strace") else { return nil }
    func count(_ reads: Int) throws -> Double {
      let path = "\(options.directory)/calls"
      let child = try Child(
        .reads, entry.contestant, entry.directory, ["\(kind.rawValue)", "\(reads)"],
        in: [strace, "-f", "-c", "-U", "calls,name", "-o", path])
      try child.wait()
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let total = text.split(separator: "\n").first { $0.hasSuffix("total") }
      return total?.split(whereSeparator: \.isWhitespace).first.flatMap { Double($0) } ?? .nan
    }
    let reads = 10_000_000
    return (try count(reads) - count(0)) / Double(reads / 1_000_000)
  }

  private func find(_ command: String) -> String? {
    ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":")
      .map { "\($0)/\(command)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
