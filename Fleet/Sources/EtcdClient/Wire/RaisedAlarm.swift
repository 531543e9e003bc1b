import RevisionedStore

/// An alarm, and the member that has raised it.
struct RaisedAlarm {
  private(set) var member: Int64 = 0
  private var kind: Int64 = 0

  init(wire bytes: ArraySlice<UInt8>) throws(StoreError) {
    try ProtobufReader.read(bytes) { field, value throws(StoreError) in
      switch field {
      case 1: member = value.integer
      case 2: kind = value.integer
      default: break
      }
    }
  }

  var name: String {
    switch kind {
    case 1: "NOSPACE"
    case 2: "CORRUPT"
    default: "\(kind)"
    }
  }
}
