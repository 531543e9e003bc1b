/// What a new journal has from the one whose place it takes.
struct CarriedRecords {
  /// The last value of each key, if the old one was compacted; what came in later follows.
  private var merged: [[UInt8]] = []
  private var scans: [(scan: JournalScan, outdatedEnd: Int?)] = []

  mutating func add(merged parts: [[UInt8]]) { merged += parts }

  /// - Parameter outdatedEnd: where the record ends that was left out.
  mutating func add(_ scan: JournalScan, except outdatedEnd: Int?) {
    scans.append((scan, outdatedEnd))
  }

  var count: Int {
    scans.reduce(merged.count) { count, part in
      count + part.scan.ends.count { $0 != part.outdatedEnd }
    }
  }

  func apply(to content: DomainValues) {
    for part in merged {
      // Safety: what was made of sound change sets is one.
      part.withUnsafeBytes { bytes in
        var reader = RecordReader(bytes)
        if let changes = reader.changes() { content.apply(changes) }
      }
    }
    for part in scans { content.apply(part.scan, except: part.outdatedEnd) }
  }
}
