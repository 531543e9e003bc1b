import StrataDomains
import StrataPropertyList

/// The form of a host's record in the store.
extension HostRecord {
  package func bytes(of host: String) throws(FleetProblem) -> [UInt8] {
    var entries: [String: PropertyListValue] = [
      "groups": .array(groups.map { .string($0) }), "users": .array(users.map { .string($0) }),
      "labels": .dictionary(labels.mapValues { .string($0) }), "ring": .integer(ring),
    ]
    entries["os"] = os.map { .string($0) }
    return try Record.bytes(.dictionary(entries), at: "host \(host)")
  }

  /// The maximum number of groups and users together, so that all layers of a host fit into one
  /// request.
  package static let layersMax = 100

  /// The record as far as it can be read; it is whole if nothing but unknown entries is left out.
  package static func decode(
    _ bytes: [UInt8], of host: String
  ) throws(FleetProblem) -> (record: HostRecord, problems: [FleetProblem], isWhole: Bool) {
    let place = "host \(host)"
    if bytes.count > Policy.sizeMax {
      throw FleetProblem(place, "the record has \(bytes.count) bytes")
    }
    var fields = Fields(try Record.entries(bytes, at: place), at: place)
    var record = HostRecord(labels: fields.textsByKey("labels"))
    record.groups = names(fields.texts("groups"), "group", &fields)
    record.users = names(fields.texts("users"), "user", &fields)
    record.ring = fields.integer("ring") ?? lastRing
    record.os = names(fields.text("os").map { [$0] }, "operating system", &fields).first
    if record.groups.count + record.users.count > layersMax {
      throw FleetProblem(place, "it has more than \(layersMax) groups and users")
    }
    return (record, fields.finished(), fields.problems.isEmpty)
  }

  private static func names(
    _ names: [String]?, _ kind: String, _ fields: inout Fields
  ) -> [String] {
    var valid: [String] = []
    for name in names ?? [] {
      if PlainName.isValid(name) {
        valid.append(name)
      } else {
        fields.report("\(name.debugDescription) can't be the name of a \(kind); \(PlainName.rule)")
      }
    }
    return valid
  }
}
