import RevisionedStore

/// What a watch reports at once.
struct WatchAnswer {
  var header = EtcdHeader()
  var id: Int64 = 0
  var isCreated = false
  var isCanceled = false
  /// Whether more of the same answer follows.
  var isFragment = false
  var compactRevision: Int64 = 0
  var reason = ""
  var events: [WatchBatch.Event] = []

  init(_ bytes: [UInt8]) throws(StoreError) {
    try ProtobufReader.read(bytes[...]) { field, value throws(StoreError) in
      switch field {
      case 1: header = try EtcdHeader(value.bytes)
      case 2: id = value.integer
      case 3: isCreated = value.isTrue
      case 4: isCanceled = value.isTrue
      case 5: compactRevision = try value.revision
      case 6: reason = value.text
      case 7: isFragment = value.isTrue
      case 11:
        guard let event = try Self.event(value.bytes) else { return }
        try ProtobufReader.checkRoom(events.count)
        events.append(event)
      default: break
      }
    }
  }

  private static func event(_ bytes: ArraySlice<UInt8>) throws(StoreError) -> WatchBatch.Event? {
    var isDeletion = false
    var stored: StoredValue?
    try ProtobufReader.read(bytes) { field, value throws(StoreError) in
      switch field {
      case 1: isDeletion = value.integer == 1
      case 2: stored = try StoredValue(wire: value.bytes)
      default: break
      }
    }
    return stored.map {
      isDeletion ? .deleted(key: $0.key, revision: $0.revision) : .put($0)
    }
  }
}
