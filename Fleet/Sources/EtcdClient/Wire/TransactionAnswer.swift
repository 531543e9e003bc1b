import RevisionedStore

/// What was read, or whether changes were made.
struct TransactionAnswer {
  var header = EtcdHeader()
  var succeeded = false
  /// What was found in each of the ranges that were read.
  var parts: [Part] = []
  private var count = 0

  struct Part {
    var values: [StoredValue] = []
    /// How many there are, with those whose keys are no texts.
    var count = 0
    /// The key of the last of them, if there is more.
    var lastKey: [UInt8] = []
    /// Whether there is more in the range.
    var hasMore = false
  }

  var values: some Sequence<StoredValue> { parts.lazy.flatMap(\.values) }

  init(_ bytes: [UInt8]) throws(StoreError) {
    try ProtobufReader.read(bytes[...]) { field, value throws(StoreError) in
      switch field {
      case 1: header = try EtcdHeader(value.bytes)
      case 2: succeeded = value.isTrue
      case 3:
        try ProtobufReader.read(value.bytes) { field, value throws(StoreError) in
          if field == 1 { try readRange(value.bytes) }
        }
      default: break
      }
    }
  }

  private mutating func readRange(_ bytes: ArraySlice<UInt8>) throws(StoreError) {
    var part = Part()
    var last: ArraySlice<UInt8> = []
    try ProtobufReader.read(bytes) { field, value throws(StoreError) in
      switch field {
      case 2:
        try ProtobufReader.checkRoom(count)
        count += 1
        part.count += 1
        last = value.bytes
        if let stored = try StoredValue(wire: last) { part.values.append(stored) }
      case 3: part.hasMore = value.isTrue
      default: break
      }
    }
    if part.hasMore {
      try ProtobufReader.read(last) { field, value throws(StoreError) in
        if field == 1 { part.lastKey = Array(value.bytes) }
      }
    }
    try ProtobufReader.checkRoom(parts.count)
    parts.append(part)
  }
}

extension StoredValue {
  /// Nil for a key that is no text, which nobody asks for.
  init?(wire bytes: ArraySlice<UInt8>) throws(StoreError) {
    var key: ArraySlice<UInt8> = []
    var content: ArraySlice<UInt8> = []
    var revision: Int64 = 0
    try ProtobufReader.read(bytes) { field, value throws(StoreError) in
      switch field {
      case 1: key = value.bytes
      case 3: revision = try value.revision
      case 5: content = value.bytes
      default: break
      }
    }
    guard let text = String(validating: key, as: UTF8.self) else { return nil }
    self.init(key: text, value: Array(content), revision: revision)
  }
}
