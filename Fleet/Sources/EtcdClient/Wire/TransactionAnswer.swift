import RevisionedStore

/// What was read, or whether changes were made.
struct TransactionAnswer {
  var header = EtcdHeader()
  var succeeded = false
  var values: [StoredValue] = []

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
    try ProtobufReader.read(bytes) { field, value throws(StoreError) in
      if field == 2, let stored = try StoredValue(wire: value.bytes) {
        try ProtobufReader.checkRoom(values.count)
        values.append(stored)
      }
    }
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
