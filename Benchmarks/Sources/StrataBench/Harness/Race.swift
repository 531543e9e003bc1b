import CBench

/// Several ways to do the same thing, sampled in turns, so that noise hits all alike.
struct Race {
  /// Does something so many times; returns how long one took, in nanoseconds.
  typealias Body = (Int) throws -> Double

  private struct Runner {
    let name: String
    let body: Body
    var batch = 1
    var samples: [Double] = []
  }

  private var runners: [Runner] = []
  private let effort: Effort

  init(_ effort: Effort) { self.effort = effort }

  /// A body whose whole run is measured.
  mutating func add(_ name: String, _ body: @escaping (Int) throws -> Void) {
    addMeasured(name) { operations in
      let start = bench_now()
      try body(operations)
      return Double(bench_now() - start) / Double(operations)
    }
  }

  /// A body that measures itself.
  mutating func addMeasured(_ name: String, _ body: @escaping Body) {
    runners.append(Runner(name: name, body: body))
  }

  /// Samples until the time is up; each runner has at least five samples.
  mutating func run() throws -> [String: Distribution] {
    for index in runners.indices { try calibrate(index) }
    let end = bench_now() + effort.time * Int64(runners.count)
    var round = 0
    while round < effort.samplesMin || (round < effort.samplesMax && bench_now() < end) {
      for turn in runners.indices {
        let index = (turn + round) % runners.count
        let sample = try runners[index].body(runners[index].batch)
        runners[index].samples.append(sample)
      }
      round += 1
    }
    return Dictionary(
      uniqueKeysWithValues: runners.map { ($0.name, Distribution($0.samples)) })
  }

  /// Finds how many operations take as long as a sample should, going by the fastest of a few
  /// runs: one that had to wait would make all samples too short.
  private mutating func calibrate(_ index: Int) throws {
    while runners[index].batch < 1 << 24 {
      let batch = runners[index].batch
      var time = Double.infinity
      for _ in 0..<3 where time >= Double(effort.sample) {
        time = min(time, try runners[index].body(batch) * Double(batch))
      }
      if time >= Double(effort.sample) { return }
      let factor = Double(effort.sample) / max(time, 1)
      runners[index].batch = Int(Double(batch) * min(max(factor, 1.2), 10)) + 1
    }
  }
}

/// How much time a race may take.
struct Effort: Sendable {
  /// Nanoseconds in one sample, and in all samples of one runner.
  let sample: Int64
  let time: Int64
  let samplesMin: Int
  let samplesMax: Int

  static let full = Effort(
    sample: 2_000_000, time: 250_000_000, samplesMin: 5, samplesMax: 101)
  static let quick = Effort(sample: 200_000, time: 8_000_000, samplesMin: 3, samplesMax: 15)
}
