import RevisionedStore

/// What a member says when it is asked for its status.
struct MemberAnswer {
  var header = EtcdHeader()
  var version = ""
  var databaseBytes: Int64 = 0
  var databaseBytesInUse: Int64 = 0
  /// Which etcd says since its version 3.6; 0 before.
  var quotaBytes: Int64 = 0
  var isLearner = false
  var leader: Int64 = 0
  /// Of this member, as the status words them.
  var alarms: [String] = []

  static let alarmsMax = 16

  init(_ bytes: [UInt8]) throws(StoreError) {
    var texts: [String] = []
    try ProtobufReader.read(bytes[...]) { field, value throws(StoreError) in
      switch field {
      case 1: header = try EtcdHeader(value.bytes)
      case 2: version = value.text
      case 3: databaseBytes = value.integer
      case 4: leader = value.integer
      case 9: databaseBytesInUse = value.integer
      case 10: isLearner = value.isTrue
      case 12: quotaBytes = value.integer
      case 8 where texts.count < Self.alarmsMax: texts.append(value.text)
      default: break
      }
    }
    guard header.member != 0, databaseBytes >= 0 else { throw ProtobufReader.malformed }
    // Such as "memberID:10501334649042878790 alarm:NOSPACE ".
    let own = "memberID:\(UInt64(bitPattern: header.member)) "
    alarms = texts.compactMap { text in
      guard text.hasPrefix(own), let name = text.split(separator: "alarm:").last else { return nil }
      return String(name.prefix { $0 != " " })
    }
  }
}
