import Foundation

/// The figures of one run, as a table whose rows are printed as soon as they are known.
struct Report {
  init(_ options: Options) {
    let kind = options.isReal ? "of the real client" : "simulated"
    let proxies = options.proxies == 0 ? "" : ", \(options.proxies) proxies"
    row(
      "\(options.agents) agents, \(kind)\(proxies)",
      options.isEncrypted ? "mutual TLS" : "plaintext")
    print("|---|---|")
  }

  func add(_ name: String, _ value: Double) { row(name, Self.text(value)) }

  func add(_ name: String, _ usage: Usage) {
    let (now, most) = (Self.text(usage.megabytes), Self.text(usage.megabytesMax))
    row(name + ", MB (at most), s of processor", "\(now) (\(most)), \(Self.text(usage.seconds))")
  }

  func add(_ name: String, _ values: Distribution) {
    let parts = [0.5, 0.9, 0.99, 1].map { Self.text(values.quantile($0)) }
    row(name + " (p50 / p90 / p99 / most)", parts.joined(separator: " / "))
  }

  private func row(_ name: String, _ value: String) {
    print("| \(name) | \(value) |")
    fflush(nil)
  }

  private static func text(_ value: Double) -> String {
    String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
  }

  /// How many of these moments are at most so far apart.
  static func most(of times: [Double], within length: Double) -> Int {
    let sorted = times.sorted()
    var (most, first) = (0, 0)
    for (last, time) in sorted.enumerated() {
      while time - sorted[first] > length { first += 1 }
      most = max(most, last - first + 1)
    }
    return most
  }
}

/// Measured values, in order.
struct Distribution {
  private let sorted: [Double]

  init(_ values: [Double]) { sorted = values.sorted() }

  /// The least that so large a part of them does not exceed.
  func quantile(_ part: Double) -> Double {
    let index = Int((Double(sorted.count) * part).rounded(.up)) - 1
    return sorted.isEmpty ? .nan : sorted[max(0, index)]
  }
}
