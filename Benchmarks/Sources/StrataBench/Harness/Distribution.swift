/// Measured times, in nanoseconds.
struct Distribution: Sendable {
  private let sorted: [Double]

  init(_ samples: [Double]) { sorted = samples.sorted() }

  var count: Int { sorted.count }
  var median: Double { quantile(0.5) }
  var least: Double { sorted.first ?? .nan }
  var max: Double { sorted.last ?? .nan }

  /// The smallest sample that at least `part` of them do not exceed.
  func quantile(_ part: Double) -> Double {
    guard !sorted.isEmpty else { return .nan }
    let index = Int((Double(sorted.count) * part).rounded(.up)) - 1
    return sorted[min(Swift.max(index, 0), sorted.count - 1)]
  }
}
