import CBench
import Foundation

/// Sets in open stores.
extension Session {
  func measureSets(_ field: Field) throws {
    report.begin(
      "Sets of changing Ints",
      "Strata, LMDB and SQLite: seen by every process, and safe from a kill. "
        + "Foundation and GNUstep: known to the process alone. GSettings: on its way.")
    try raceSets(field, "one key", "set hot", Keys.hot(.integer)) { try $0.set($1, $2, from: $3) }
    let keys = Keys.random(.integer, of: field.count)
    try raceSets(field, "random keys", "set random", keys) { try $0.set($1, $2, from: $3) }
    try raceSets(field, "random keys, each read back", "set and read", keys) {
      try $0.setAndRead($1, $2, from: $3)
    }
  }

  private func raceSets(
    _ field: Field, _ title: String, _ figure: String, _ keys: Keys,
    _ set: @escaping (any PeerStore, Keys, Int, Int64) throws -> Void
  ) throws {
    var all: [String: Distribution] = [:]
    // GSettings hands its work to another process, which would be in the way of the others.
    for isOutside in [false, true] {
      var race = Race(effort)
      for entry in field.entries
      where field.count <= entry.limits.set && (entry.name == "GSettings") == isOutside {
        race.add(entry.name) { [values] in
          try set(entry.store, keys, $0, values.take($0))
        }
      }
      all.merge(try race.run()) { $1 }
    }
    report.add(
      "\(title), \(field.count) keys",
      field.entries.compactMap { entry in
        all[entry.name].map { (entry.name, $0.median) }
      })
    report.note("\(figure) \(field.count)", all[StrataPeer.name]?.median ?? .nan)
    report.note("class \(figure) \(field.count)", all[StrataClassPeer.name]?.median ?? .nan)
    for entry in field.entries { entry.store.settle() }
  }

  func measureSynchronized(_ field: Field) throws {
    report.begin(
      "Sets made durable one by one",
      "`pwrite` is 48 bytes, as much as a record of ours, and `fdatasync`, into a file in the same "
        + "directory whose space is reserved, or was written to before. Ours is measured by the "
        + "faster of the two, in the median and in the fastest tenth: on a busy machine, the "
        + "median is mostly the wait for a processor.")
    let keys = Keys.random(.integer, of: field.count)
    guard let first = field.entries.first else { return }
    var race = Race(
      Effort(
        sample: 20_000, time: effort.time * 4, samplesMin: effort.samplesMin,
        samplesMax: effort.samplesMax * 20))
    for (name, isWritten) in [("pwrite, reserved", false), ("pwrite, written", true)] {
      let file = try makeFile("\(first.directory)/floor-\(isWritten)", isWritten)
      race.add(name) { operations in
        guard bench_write_synchronize(file, Self.floorSize, operations) == 0 else {
          throw BenchError("pwrite or fdatasync failed")
        }
      }
    }
    for entry in field.entries where field.count <= entry.limits.synchronize {
      race.add(entry.name) { [values] in
        try entry.store.setAndSynchronize(keys, $0, from: values.take($0))
      }
    }
    let times = try race.run()
    let floors = ["pwrite, reserved", "pwrite, written"]
    for (part, title) in [(0.5, ""), (0.1, ", fastest tenth")] {
      let cells = (field.entries.map(\.name) + floors).compactMap { name in
        times[name].map { (column: name, value: $0.quantile(part)) }
      }
      report.add("\(field.count) keys\(title)", cells)
      let floor = cells.filter { floors.contains($0.column) }.map(\.value).min() ?? .nan
      report.note("sync \(field.count)\(title)", (cells.first?.value ?? .nan) / floor)
    }
    for entry in field.entries { entry.store.settle() }
  }

  static let floorSize = 1 << 20

  func makeFile(_ path: String, _ isWritten: Bool) throws -> Int32 {
    let file = bench_make_file(path, Self.floorSize, isWritten ? 1 : 0)
    guard file >= 0 else { throw BenchError("can't make \(path)") }
    return file
  }

  /// Each set by itself, with the clock's cost in it.
  func measureTails(_ field: Field) throws {
    report.begin("Single sets of random keys, as they are spread", "One reading of the clock more.")
    let keys = Keys.random(.integer, of: field.count)
    let entries = field.entries.filter { $0.contestant.peer.isCoherent && $0.name != "GSettings" }
    let (blocks, block) = options.isQuick ? (4, 500) : (40, 5_000)
    var samples: [String: [Double]] = [:]
    for _ in 0..<blocks {
      for entry in entries {
        samples[entry.name, default: []] += try timeSets(entry.store, keys, block)
      }
    }
    for entry in entries {
      let times = Distribution(samples[entry.name] ?? [])
      report.addTimes(
        "\(entry.name), \(field.count) keys",
        [
          ("p50", times.median), ("p99", times.quantile(0.99)), ("p99.9", times.quantile(0.999)),
          ("max", times.max),
        ])
      entry.store.settle()
    }
  }

  private func timeSets(
    _ store: any PeerStore, _ keys: Keys, _ count: Int
  ) throws -> [Double] {
    var times: [Double] = []
    times.reserveCapacity(count)
    let rings = keys.texts.prefix(500).map { Keys([$0]) }
    var last = bench_now()
    for index in 0..<count {
      try store.set(rings[index % rings.count], 1, from: values.take(1))
      let now = bench_now()
      times.append(Double(now - last))
      last = now
    }
    return times
  }

  func measureFilling() throws {
    report.begin("Filling an empty store key by key, time per key")
    for size in sizes {
      let entrants = contestants.all.filter { size <= $0.peer.limits.fill }
      let rounds = size > 10_000 ? 3 : options.isQuick ? 3 : 11
      var samples: [String: [Double]] = [:]
      for round in 0..<rounds {
        for entrant in entrants {
          let time = try timeFilling(entrant, size, round)
          samples[entrant.name, default: []].append(time)
        }
      }
      report.add(
        "\(size) keys",
        entrants.map { ($0.name, Distribution(samples[$0.name] ?? []).median) })
      report.note("fill \(size)", Distribution(samples[StrataPeer.name] ?? []).median)
    }
  }

  private func timeFilling(_ entrant: Contestant, _ size: Int, _ round: Int) throws -> Double {
    let place = try makeDirectory(
      "\(options.directory)/\(entrant.name)-fill-\(size)-\(round)")
    let keys = Keys.first(size)
    let store = try entrant.peer.open(place)
    try store.set(Keys(["first"]), 1, from: 1)
    let start = bench_now()
    try store.set(keys, size, from: 1)
    let end = bench_now()
    store.settle()
    store.close()
    return Double(end - start) / Double(size)
  }
}
