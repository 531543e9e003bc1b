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

  /// Reads at one revision: a transaction that changes nothing.
  ///
  /// - Parameters:
  ///   - limit: to how many values of each page.
  ///   - revision: 0 for the present one.
  static func read(_ pages: [PagedRead.Page], limit: Int, revision: Int64) -> [UInt8] {
    var writer = ProtobufWriter()
    for page in pages {
      writer.add(2) { operation in
        operation.add(1) { request in
          request.add(1, page.key)
          request.add(2, page.end)
          request.add(3, Int64(limit))
          request.add(4, revision)
        }
      }
    }
    return writer.bytes
  }

  /// Asks how many keys there are.
  static func count(_ range: KeyRange) -> [UInt8] {
    let (key, end) = bounds(of: range)
    return fields { writer in
      writer.add(1, key)
      writer.add(2, end)
      writer.add(9, true)
    }
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
    let (key, end) = bounds(of: range)
    return watch(key, end, from: revision)
  }

  static func watch(_ key: [UInt8], _ end: [UInt8] = [], from revision: Int64) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.add(1) { request in
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
