// Short ways to write what a store has.

import FleetModel
import RevisionedStore
import StrataDomains
import StrataPropertyList

extension Policy {
  static func sample(
    _ layer: String, _ entries: [String: PolicyEntry], number: Int64 = 1,
    domain: String = "com.example.app"
  ) throws -> Policy {
    let version = Policy.Version(
      number: number, author: "ann", reason: "a test",
      published: PropertyListDate(secondsSinceReference: 0),
      content: PolicyContent(entries: entries))
    return Policy(try .sample(layer, domain), stable: version, lastNumber: number)
  }
}

extension PolicyName {
  static func sample(_ layer: String, _ domain: String) throws -> PolicyName {
    guard let layer = PolicyLayer(layer),
      let name = PolicyName(layer, try DomainIdentifier(domain, isSetUID: true))
    else { throw FleetProblem(layer, "not a layer") }
    return name
  }
}

extension StoreSnapshot {
  /// The store as it is when these policies are all that it has.
  static func sample(
    _ policies: [Policy], _ record: HostRecord? = nil, of host: String, revision: Int64
  ) throws -> StoreSnapshot {
    var values = try policies.map { policy in
      StoredValue(
        key: FleetKey.live(policy.name).text, value: try policy.bytes(), revision: revision)
    }
    if let record {
      values.append(
        StoredValue(
          key: FleetKey.host(host).text, value: try record.bytes(of: host), revision: revision))
    }
    return StoreSnapshot(revision: revision, values: values)
  }
}
