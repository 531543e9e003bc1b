/// A point in time, in seconds since 2001-01-01 00:00:00 UTC, as property lists count.
///
/// Equality is by bits, as for reals, so that a date always equals itself.
public struct PropertyListDate: Sendable {
  /// Seconds since 2001-01-01 00:00:00 UTC, negative before it.
  public var secondsSinceReference: Double

  /// Creates the date `secondsSinceReference` seconds after 2001-01-01 00:00:00 UTC.
  public init(secondsSinceReference: Double) {
    self.secondsSinceReference = secondsSinceReference
  }
}

extension PropertyListDate: Hashable {
  public static func == (left: Self, right: Self) -> Bool {
    left.secondsSinceReference.bitPattern == right.secondsSinceReference.bitPattern
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(secondsSinceReference.bitPattern)
  }
}
