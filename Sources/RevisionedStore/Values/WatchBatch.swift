/// What a watch reports at once.
public struct WatchBatch: Equatable, Sendable {
  /// One change of one key.
  public enum Event: Equatable, Sendable {
    /// The key was given this value.
    case put(StoredValue)
    /// The key was deleted.
    case deleted(key: String, revision: Int64)

    /// The key that was put or deleted.
    public var key: String {
      switch self {
      case .put(let value): value.key
      case .deleted(let key, _): key
      }
    }

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
  /// The same for each range by itself, in the order of the watch's ranges; empty if that is
  /// `revision` for all. To go on without a repetition, watch after each of these.
  public let revisions: [Int64]
  /// In the order of their revisions. Empty in the first batch, which says that the watch works.
  public let events: [Event]
  /// The number of the store, as in its snapshots; 0 if it has none.
  public let store: UInt64

  /// Creates a batch of a watch whose ranges are all equally far.
  public init(revision: Int64, events: [Event], store: UInt64 = 0) {
    self.revision = revision
    self.revisions = []
    self.events = events
    self.store = store
  }

  /// Creates a batch of a watch each of whose ranges has come as far as its revision here.
  public init(revisions: [Int64], events: [Event], store: UInt64 = 0) {
    self.revision = revisions.min() ?? 0
    self.revisions = revisions
    self.events = events
    self.store = store
  }
}
