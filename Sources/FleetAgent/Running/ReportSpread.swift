/// Decides in how much time the hosts report what all of them have applied, so that a server with
/// many hosts has time for the next change.
///
/// A host may not know how many there are. But each reports as often as this one, so between two
/// reports of its own the store's revision grows by about their number.
struct ReportSpread {
  private var hosts: Int64 = 0
  /// The revision of the last report; nil if the server was lost since, and who knows for how long.
  private var last: Int64?

  /// A report takes etcd about a millisecond of one processor.
  static let reportsPerSecond: Int64 = 500
  static let (millisecondsMin, millisecondsMax): (Int64, Int64) = (1_000, 900_000)

  /// The time for all reports, at a random moment of which this one is due.
  var milliseconds: Int64 {
    let all = min(hosts, Self.millisecondsMax) * 1_000 / Self.reportsPerSecond
    return min(Self.millisecondsMax, max(Self.millisecondsMin, all))
  }

  mutating func didReport(at revision: Int64) {
    // Two reports that chance puts close together say little of the number.
    if let last { hosts = max(revision - last, hosts / 2) }
    last = revision
  }

  mutating func didLoseServer() { last = nil }
}
