import RevisionedStore

/// What a role may do with the keys of a range.
struct Permission: Equatable {
  /// As etcd numbers them.
  enum Kind: Int64 {
    case read = 0
    case write = 1
    case readAndWrite = 2
  }

  let kind: Kind
  let key: [UInt8]
  let end: [UInt8]

  /// etcd keeps one permission for a range, so what is both read and written is one as well.
  static func all(reading: [KeyRange], writing: [KeyRange]) -> [Permission] {
    var found: [Permission] = []
    var seen: Set<KeyRange> = []
    for range in reading + writing where seen.insert(range).inserted {
      let isRead = reading.contains(range)
      let kind: Kind = isRead ? writing.contains(range) ? .readAndWrite : .read : .write
      let (key, end) = EtcdMessages.bounds(of: range)
      found.append(Permission(kind: kind, key: key, end: end))
    }
    return found
  }

  func isSameRange(as other: Permission) -> Bool { key == other.key && end == other.end }

  var bytes: [UInt8] {
    EtcdMessages.fields { writer in
      writer.add(1, kind.rawValue)
      writer.add(2, key)
      writer.add(3, end)
    }
  }
}

extension Permission {
  init(wire bytes: ArraySlice<UInt8>) throws(StoreError) {
    var kind = Kind.read
    var (key, end): ([UInt8], [UInt8]) = ([], [])
    try ProtobufReader.read(bytes) { field, value throws(StoreError) in
      switch field {
      case 1:
        guard let known = Kind(rawValue: value.integer) else { throw ProtobufReader.malformed }
        kind = known
      case 2: key = Array(value.bytes)
      case 3: end = Array(value.bytes)
      default: break
      }
    }
    self.init(kind: kind, key: key, end: end)
  }
}
