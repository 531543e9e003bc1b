/// A key with its value, and when it got it.
public struct StoredValue: Equatable, Sendable {
  /// The key.
  public let key: String
  /// Its bytes.
  public let value: [UInt8]
  /// The revision of the store that set this value.
  public let revision: Int64

  /// Creates a value.
  public init(key: String, value: [UInt8], revision: Int64) {
    self.key = key
    self.value = value
    self.revision = revision
  }
}

/// What ranges contained at one revision of the store, sorted by key.
public struct StoreSnapshot: Equatable, Sendable {
  /// The revision.
  public let revision: Int64
  /// The keys that exist.
  public let values: [StoredValue]
  /// A number that another store does not have, which may have other values at the same revision;
  /// 0 if the store has none.
  public let store: UInt64

  /// Creates a snapshot.
  public init(revision: Int64, values: [StoredValue], store: UInt64 = 0) {
    self.revision = revision
    self.values = values
    self.store = store
  }
}
