package import FleetModel
import StrataPropertyList
import StrataDomains
import RevisionedStore

/// Its form on the disk, from which an agent starts when no server answers.
extension AgentState {
  package func bytes() throws(FleetProblem) -> [UInt8] {
    var entries: [String: PropertyListValue] = [
      "host": .string(facts.name), "revision": .integer(revision),
      "policies": .dictionary(held.mapValues { .data($0.bytes) }),
      "done": .array(done.sorted().map { .string($0) }),
    ]
    if !pending.isEmpty {
      entries["pending"] = .dictionary(pending.mapValues { .array($0) })
    }
    if store != 0 { entries["store"] = .integer(Int64(bitPattern: store)) }
    if !departed.isEmpty { entries["departed"] = .array(departed.map { .string($0) }) }
    entries["onceUnknownUntil"] = onceUnknownUntil.map { .date($0) }
    entries["lastTime"] = lastTime.map { .date($0) }
    entries["os"] = facts.ownOS.map { .string($0) }
    if hasRecord { entries["record"] = .data(try facts.record.bytes(of: facts.name)) }
    return try Record.bytes(.dictionary(entries), at: "the agent's state")
  }

  /// What bytes say as far as they are valid, and what is missing or can't be read.
  ///
  /// - Throws: if the bytes are no state, or that of another host.
  package static func decode(
    _ bytes: [UInt8], host: String, os: String?
  ) throws(FleetProblem) -> (state: AgentState, problem: FleetProblem?) {
    let place = "the agent's state"
    let entries = try Record.entries(bytes, at: place)
    guard case .string(let owner) = entries["host"], owner == host else {
      throw FleetProblem(place, "it is that of another host")
    }
    var damaged: [String] = []
    if entries["policies"]?.dictionaryValue == nil { damaged.append("policies") }
    if entries["done"]?.stringArrayValue == nil { damaged.append("done") }
    if let pending = entries["pending"],
      pending.dictionaryValue?.values.contains(where: { $0.arrayValue == nil }) ?? true
    {
      damaged.append("pending")
    }
    let names = damaged.joined(separator: ", ")
    return (
      AgentState(entries, host: host, os: os),
      damaged.isEmpty ? nil : FleetProblem(place, "of \(names), not all can be read")
    )
  }

  private init(_ entries: [String: PropertyListValue], host: String, os: String?) {
    // A host that does not know its system now has the policies of the one that it knew last.
    self.init(host: host, os: os ?? entries["os"]?.stringValue)
    if let bytes = entries["record"]?.dataValue {
      adopt(StoredValue(key: FleetKey.host(host).text, value: bytes, revision: 0))
    }
    for (key, value) in entries["policies"]?.dictionaryValue ?? [:] {
      if let bytes = value.dataValue { adopt(StoredValue(key: key, value: bytes, revision: 0)) }
    }
    if case .integer(let number) = entries["revision"] { revision = number }
    if case .integer(let number) = entries["store"] { store = UInt64(bitPattern: number) }
    if case .date(let date) = entries["lastTime"] { lastTime = date }
    for case .string(let text) in entries["done"]?.arrayValue ?? [] { done.insert(text) }
    departed = entries["departed"]?.stringArrayValue ?? []
    if case .date(let date) = entries["onceUnknownUntil"] { onceUnknownUntil = date }
    pending = (entries["pending"]?.dictionaryValue ?? [:]).compactMapValues(\.arrayValue)
  }
}
