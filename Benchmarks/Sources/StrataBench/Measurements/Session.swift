import Foundation

/// One run of the benchmark: what takes part, and the measurements in their order.
final class Session {
  let options: Options
  let effort: Effort
  let report = Report()
  let values = FreshValues()
  let pair = Pair()
  var contestants: Contestants
  private let start = Date()

  init(_ options: Options) throws {
    self.options = options
    effort = options.isQuick ? .quick : .full
    contestants = try Contestants(peers: options.peers)
  }

  /// Numbers of keys with which everything is measured.
  var sizes: [Int] { options.isQuick ? [10, 1_000] : [10, 1_000, 100_000] }

  func wants(_ part: Options.Part) -> Bool { options.parts.contains(part) }

  func run() throws -> String {
    try runFields()
    if wants(.fill) { try measureFilling() }
    if wants(.first) { try measureFirstReads() }
    if wants(.visible) { try measureVisibility() }
    if wants(.told) { try measureTelling() }
    if wants(.observers) { try measureObservers() }
    if wants(.idle) { try measureIdle() }
    if wants(.contend) { try measureContention() }
    if wants(.program) { try measurePrograms() }
    if wants(.command) {
      try measureCommands()
      try measureWatching()
    }
    if wants(.keys) { try measureKeys() }
    if wants(.floors) { try measureFloors() }
    return ([head] + [report.markdown, Targets(report).markdown]).joined(separator: "\n")
  }

  /// What is measured with open stores of several sizes; tables by part, rows by size.
  private func runFields() throws {
    let parts: [(Options.Part, (Field) throws -> Void)] = [
      (.read, measureReads), (.threads, measureThreads), (.cost, measureCost),
      (.set, measureSets), (.sync, measureSynchronized), (.tails, measureTails),
    ]
    let wanted = parts.filter { wants($0.0) }
    if wanted.isEmpty { return }
    for size in sizes {
      print("\(size) keys", to: &standardError)
      let field = try Field(size, in: options.directory, of: &contestants)
      for (_, measure) in wanted { try measure(field) }
      field.close()
    }
  }

  private var head: String {
    var lines = [
      "# Strata and its peers", "",
      "Medians\(options.isQuick ? " of a quick run, good for a smoke test only" : ""). "
        + "In parentheses: ours divided by the peer's, below 1 is faster. "
        + "\(ProcessInfo.processInfo.activeProcessorCount) processors, load \(load), "
        + "\(Int(Date().timeIntervalSince(start))) s.",
    ]
    lines += contestants.absent.map { "Left out: \($0.name), because \($0.reason)." }
    return lines.joined(separator: "\n") + "\n"
  }

  private var load: String {
    var loads = [0.0]
    return getloadavg(&loads, 1) == 1 ? Report.number(loads[0]) : "unknown"
  }
}
