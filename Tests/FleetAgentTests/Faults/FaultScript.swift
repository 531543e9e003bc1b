import FleetModel
import RevisionedStore
import StrataDomains
import StrataPropertyList

@testable import FaultTesting

/// What an agent is told, one after another, and what its host then has.
struct FaultScript {
  static let byHand = FaultHost.system + "/managed/com.example.hand.plist"

  let snapshots: [StoreSnapshot]
  /// The files before the first snapshot, and after each.
  private(set) var files: [[String: [UInt8]]]

  init() throws {
    let big = PropertyListValue.data([UInt8](repeating: 7, count: 3_000))
    let hand = try Policy.sample("all", ["Theme": PolicyEntry("x")], domain: "com.example.hand")
    let user = HostRecord(users: ["ann"])
    let steps: [(policies: [Policy], record: HostRecord)] = [
      (
        [
          try .sample("all", ["Theme": PolicyEntry("a"), "Size": PolicyEntry(1, .recommended)]),
          try .sample("user:ann", ["Theme": PolicyEntry(big)]),
        ], user
      ),
      // A value changes and one goes, a file goes and one comes.
      (
        [
          try .sample("all", ["Theme": PolicyEntry(big)], number: 2),
          try .sample("all", ["Other": PolicyEntry(2)], domain: "com.example.other"),
          try .sample("user:ann", ["Size": PolicyEntry("b")], number: 2),
        ], user
      ),
      // The user is no longer the host's, and all that is for all is lifted.
      (
        [
          try .sample("all", [:], number: 3),
          try .sample("all", [:], number: 2, domain: "com.example.other"),
        ], HostRecord()
      ),
      (
        [
          try .sample("all", ["Theme": PolicyEntry("c")], number: 4),
          try .sample(
            "all", ["Other": PolicyEntry(3, .recommended)], number: 3, domain: "com.example.other"),
        ], user
      ),
    ]
    snapshots = try steps.enumerated().map { number, step in
      try .sample(step.policies + [hand], step.record, of: "web1", revision: Int64(number + 1))
    }
    let host = Self.host()
    files = [host.files]
    for snapshot in snapshots {
      host.run(snapshot)
      files.append(host.files)
    }
  }

  /// A host with a file that was made by hand.
  static func host() -> FaultHost {
    let host = FaultHost()
    host.machine.makeParents(of: byHand)
    host.machine.edit(byHand, Array("{ Theme = mine; }".utf8))
    return host
  }
}
