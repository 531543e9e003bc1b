package import RevisionedStore
import StrataDomains
package import StrataPropertyList

/// What an administrator did, for those who ask later.
package struct AuditRecord: Equatable, Sendable {
  package let action: String
  package let author: String
  package let reason: String
  package let time: PropertyListDate
  /// The last version of each policy that was changed, by its text.
  package let policies: [String: Int64]
  /// The hosts whose records or rights were changed.
  package let hosts: [String]

  init(_ action: String, _ changes: [Publication.Change], _ circumstances: Edit.Circumstances) {
    self.action = action
    author = circumstances.author
    reason = circumstances.reason
    time = circumstances.time
    policies = Dictionary(changes.map { ($0.name.text, $0.after.lastNumber) }) { $1 }
    hosts = []
  }

  package init(_ action: String, host: String, _ circumstances: Edit.Circumstances) {
    self.init(
      action: action, author: circumstances.author, reason: circumstances.reason,
      time: circumstances.time, policies: [:], hosts: [host])
  }

  package var encoded: PropertyListValue {
    var entries: [String: PropertyListValue] = [
      "action": .string(action), "author": .string(author), "reason": .string(reason),
      "time": .date(time), "policies": .dictionary(policies.mapValues { .integer($0) }),
    ]
    if !hosts.isEmpty { entries["hosts"] = .array(hosts.map { .string($0) }) }
    return .dictionary(entries)
  }

  /// Writes it, together with what it tells of.
  ///
  /// - Parameter unique: makes its key one that nobody else has.
  package func operation(
    unique: UInt64
  ) throws(FleetProblem) -> StoreTransaction.Operation {
    .put(key: FleetKey.audit(name(unique)).text, value: try Record.bytes(encoded, at: "audit"))
  }

  package static func decode(_ bytes: [UInt8], key: String) throws(FleetProblem) -> AuditRecord {
    var fields = Fields(try Record.entries(bytes, at: key), at: key)
    guard let action = fields.text("action"), let time = fields.date("time") else {
      throw FleetProblem(key, "it has no action or time")
    }
    var policies: [String: Int64] = [:]
    for (name, value) in fields.dictionary("policies") ?? [:] {
      guard case .integer(let number) = value else {
        throw FleetProblem(key, "the version of \(name) is not an integer")
      }
      policies[name] = number
    }
    let record = AuditRecord(
      action: action, author: fields.text("author") ?? "", reason: fields.text("reason") ?? "",
      time: time, policies: policies, hosts: fields.texts("hosts") ?? [])
    // What is left out could be what somebody asks for.
    if let problem = fields.problems.first { throw problem }
    return record
  }

  private init(
    action: String, author: String, reason: String, time: PropertyListDate,
    policies: [String: Int64], hosts: [String]
  ) {
    self.action = action
    self.author = author
    self.reason = reason
    self.time = time
    self.policies = policies
    self.hosts = hosts
  }

  /// A name that is sorted by time: seconds since 2001, and something unique.
  func name(_ unique: UInt64) -> String {
    let seconds = max(0, time.secondsSinceReference.isFinite ? time.secondsSinceReference : 0)
    let digits = String(Int64(min(seconds, 1e11)))
    return String(repeating: "0", count: max(0, 12 - digits.utf8.count)) + digits + "-"
      + String(unique, radix: 16)
  }
}
