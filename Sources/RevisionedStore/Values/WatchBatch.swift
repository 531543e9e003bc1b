/// What a watch reports at once.
public struct WatchBatch: Equatable, Sendable {
  /// One change of one key.
  public enum Event: Equatable, Sendable {
    /// The key was given this value.
    case put(StoredValue)
    /// The key was deleted.
    case deleted(key: String, revision: Int64)

    /// The revision that made the change.
    public var revision: Int64 {
      switch self {
      case .put(let value): value.revision
      case .deleted(_, let revision): revision
      }
    }
  }

  /// All changes up to this revision have been reported with this batch or before. Of several
  /// ranges, some may be ahead: their events can be later.
  public let revision: Int64
  /// In the order of their revisions. Empty in the first batch, which says that the watch works.
  public let events: [Event]

  /// Creates a batch.
  public init(revision: Int64, events: [Event]) {
    self.revision = revision
    self.events = events
  }
}
