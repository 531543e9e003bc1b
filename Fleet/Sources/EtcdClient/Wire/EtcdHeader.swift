import RevisionedStore

/// What every answer of etcd begins with.
struct EtcdHeader {
  /// Which store it is; a proxy's own answers do not say it.
  var cluster: UInt64 = 0
  var revision: Int64 = 0
  var member: Int64 = 0

  init() {}

  init(_ bytes: ArraySlice<UInt8>) throws(StoreError) {
    try ProtobufReader.read(bytes) { field, value throws(StoreError) in
      switch field {
      case 1: cluster = UInt64(bitPattern: value.integer)
      case 2: member = value.integer
      case 3: revision = try value.revision
      default: break
      }
    }
  }
}
