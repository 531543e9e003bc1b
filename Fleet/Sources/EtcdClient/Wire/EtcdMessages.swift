import RevisionedStore

/// The messages that are sent to etcd.
enum EtcdMessages {
  /// The key, and the end of its range, as etcd writes both.
  static func bounds(of range: KeyRange) -> (key: [UInt8], end: [UInt8]) {
    switch range {
    case .key(let key): return (Array(key.utf8), [])
    case .prefix(let prefix):
      var end = Array(prefix.utf8)
      // No byte of a text is 0xFF.
      if let last = end.popLast() { end.append(last + 1) }
      return (Array(prefix.utf8), end)
    }
  }

  /// Reads ranges at one revision: a transaction that changes nothing.
  static func read(_ ranges: [KeyRange]) -> [UInt8] {
    var writer = ProtobufWriter()
    for range in ranges {
      writer.add(2) { operation in
        operation.add(1) { request in
          let (key, end) = bounds(of: range)
          request.add(1, key)
          request.add(2, end)
        }
      }
    }
    return writer.bytes
  }

  static func commit(_ transaction: StoreTransaction) -> [UInt8] {
    var writer = ProtobufWriter()
    for condition in transaction.conditions {
      writer.add(1) { compare in Self.compare(condition, &compare) }
    }
    for operation in transaction.operations {
      writer.add(2) { request in
        switch operation {
        case .put(let key, let value, let lease):
          request.add(2) { put in
            put.add(1, key)
            put.add(2, value)
            put.add(3, lease ?? 0)
          }
        case .delete(let range):
          request.add(3) { delete in
            let (key, end) = bounds(of: range)
            delete.add(1, key)
            delete.add(2, end)
          }
        }
      }
    }
    return writer.bytes
  }

  private static func compare(
    _ condition: StoreTransaction.Condition, _ writer: inout ProtobufWriter
  ) {
    let (isLess, modification) = (Int64(2), Int64(2))
    switch condition {
    case .revision(let key, let revision):
      writer.add(2, modification)
      writer.add(3, key)
      writer.addChoice(6, revision)
    case .unchanged(let range, let since):
      let (key, end) = bounds(of: range)
      writer.add(1, isLess)
      writer.add(2, modification)
      writer.add(3, key)
      writer.addChoice(6, since < .max ? since + 1 : since)
      writer.add(64, end)
    }
  }

  /// The answer says which number the watch has: a proxy chooses one of its own.
  static func watch(_ range: KeyRange, from revision: Int64) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.add(1) { request in
      let (key, end) = bounds(of: range)
      request.add(1, key)
      request.add(2, end)
      request.add(3, revision)
      request.add(4, true)  // reports its progress when it has nothing else to report
      request.add(8, true)  // what is too large for one message comes in fragments
    }
    return writer.bytes
  }

  static func fields(_ body: (inout ProtobufWriter) -> Void) -> [UInt8] {
    var writer = ProtobufWriter()
    body(&writer)
    return writer.bytes
  }
}

/// The messages that etcd sends.
struct EtcdHeader {
  var revision: Int64 = 0
  var member: Int64 = 0

  init(_ bytes: ArraySlice<UInt8> = []) throws(StoreError) {
    try ProtobufReader.read(bytes) { field, value throws(StoreError) in
      switch field {
      case 2: member = value.integer
      case 3: revision = try value.revision
      default: break
      }
    }
  }
}

struct TransactionAnswer {
  var revision: Int64 = 0
  var succeeded = false
  var values: [StoredValue] = []

  init(_ bytes: [UInt8]) throws(StoreError) {
    try ProtobufReader.read(bytes[...]) { field, value throws(StoreError) in
      switch field {
      case 1: revision = try EtcdHeader(value.bytes).revision
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
      if field == 2, let stored = try StoredValue(wire: value.bytes) { values.append(stored) }
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

struct WatchAnswer {
  var revision: Int64 = 0
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
      case 1: revision = try EtcdHeader(value.bytes).revision
      case 2: id = value.integer
      case 3: isCreated = value.isTrue
      case 4: isCanceled = value.isTrue
      case 5: compactRevision = try value.revision
      case 6: reason = value.text
      case 7: isFragment = value.isTrue
      case 11: if let event = try Self.event(value.bytes) { events.append(event) }
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
