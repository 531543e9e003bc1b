/// What a watch reports at once.
public struct WatchBatch: Equatable, Sendable {
  public enum Event: Equatable, Sendable {
    case put(StoredValue)
    case deleted(key: String, revision: Int64)

    public var revision: Int64 {
      switch self {
      case .put(let value): value.revision
      case .deleted(_, let revision): revision
      }
    }
  }

  /// All changes up to this revision have been reported with this batch or before.
  public let revision: Int64
  /// In the order of their revisions. Empty in the first batch, which says that the watch works.
  public let events: [Event]

  public init(revision: Int64, events: [Event]) {
    self.revision = revision
    self.events = events
  }
}
