@testable import EtcdClient

/// Messages as a server sends them, or never should.
enum Answers {
  /// To a read that finds nothing.
  static func snapshot(revision: Int64) -> [UInt8] {
    EtcdMessages.fields { writer in
      writer.add(1) { $0.add(3, revision) }
      writer.add(2, true)
    }
  }

  static func repeated(_ bytes: [UInt8], megabytes: Int) -> [UInt8] {
    var all = bytes
    all.reserveCapacity(megabytes << 20)
    while all.count < megabytes << 20 { all += all.prefix((megabytes << 20) - all.count) }
    return all
  }

  private static func header(revision: Int64) -> (inout ProtobufWriter) -> Void {
    { writer in
      writer.add(1, 5)
      writer.add(3, revision)
    }
  }

  /// To a question how many keys there are.
  static func count(revision: Int64) -> [UInt8] {
    EtcdMessages.fields { $0.add(1, header(revision: revision)) }
  }

  static func watch(
    _ id: Int64 = 0, revision: Int64 = 7, created: Bool = false, canceled: Bool = false,
    reason: String = "", compacted: Int64 = 0, events: [(key: String, revision: Int64)] = []
  ) -> [UInt8] {
    EtcdMessages.fields { writer in
      writer.add(1, header(revision: revision))
      writer.add(2, id)
      writer.add(3, created)
      writer.add(4, canceled)
      writer.add(5, compacted)
      writer.add(6, reason)
      for event in events {
        writer.add(11) { writer in
          writer.add(2) { writer in
            writer.add(1, event.key)
            writer.add(3, event.revision)
          }
        }
      }
    }
  }
}
