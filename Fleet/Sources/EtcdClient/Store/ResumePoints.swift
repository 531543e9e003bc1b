import RevisionedStore

/// How far the watch of each range had come when it was last reported.
///
/// A watch of several ranges is several watches for etcd, some of which are ahead of the others.
/// Whoever goes on after the revision that all had reached must not be told again what those ahead
/// had reported.
struct ResumePoints {
  private struct Point {
    let progress: [Int64]
    let revision: Int64
  }

  private var points: [[KeyRange]: Point] = [:]

  mutating func keep(_ ranges: [KeyRange], _ progress: [Int64], _ revision: Int64) {
    points[ranges] = Point(progress: progress, revision: revision)
  }

  /// After which revision to watch each range.
  func starts(_ ranges: [KeyRange], after revision: Int64) -> [Int64] {
    guard let point = points[ranges], point.revision == revision else {
      return ranges.map { _ in revision }
    }
    return point.progress
  }
}
