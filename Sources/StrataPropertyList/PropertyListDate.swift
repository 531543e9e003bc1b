/// A point in time, in seconds since 2001-01-01 00:00:00 UTC, as property lists count.
public struct PropertyListDate: Sendable, Hashable {
  public var secondsSinceReference: Double

  public init(secondsSinceReference: Double) {
    self.secondsSinceReference = secondsSinceReference
  }
}
