import StrataDomains
package import StrataPropertyList

/// What a host reports: which policies it has applied, and what went wrong.
package struct HostStatus: Equatable, Sendable {
  package var agent: String
  package var os: String?
  /// The store's revision as of the last change for this host.
  package var revision: Int64
  package var time: PropertyListDate
  /// The version that is in force of each policy, by its text, `LAYER/DOMAIN`.
  package var versions: [String: Int64]
  /// The last number of each policy that is known to have had one after the version in force, such
  /// as a candidate of other hosts.
  package var lastNumbers: [String: Int64]
  package var problems: [String]

  package init(
    agent: String, os: String?, revision: Int64, time: PropertyListDate,
    versions: [String: Int64], lastNumbers: [String: Int64] = [:], problems: [String]
  ) {
    self.agent = agent
    self.os = os
    self.revision = revision
    self.time = time
    self.versions = versions
    self.lastNumbers = lastNumbers
    self.problems = problems
  }

  /// More problems than this are not reported, nor more of the text of one.
  package static let (problemsMax, problemSizeMax) = (20, 400)

  package func bytes(of host: String) throws(FleetProblem) -> [UInt8] {
    let shown = problems.prefix(Self.problemsMax).map { problem -> PropertyListValue in
      .string(String(problem.prefix(Self.problemSizeMax)))
    }
    var entries: [String: PropertyListValue] = [
      "agent": .string(agent), "revision": .integer(revision), "time": .date(time),
      "versions": .dictionary(versions.mapValues { .integer($0) }), "problems": .array(shown),
    ]
    entries["os"] = os.map { .string($0) }
    if !lastNumbers.isEmpty {
      entries["lastNumbers"] = .dictionary(lastNumbers.mapValues { .integer($0) })
    }
    return try Record.bytes(.dictionary(entries), at: "status of \(host)")
  }

  package static func decode(_ bytes: [UInt8], of host: String) throws(FleetProblem) -> HostStatus {
    let place = "status of \(host)"
    if bytes.count > 1 << 20 { throw FleetProblem(place, "it has \(bytes.count) bytes") }
    var fields = Fields(try Record.entries(bytes, at: place), at: place)
    guard let time = fields.date("time"), let revision = fields.integer("revision") else {
      throw FleetProblem(place, "it has no time or revision")
    }
    return HostStatus(
      agent: fields.text("agent") ?? "", os: fields.text("os"), revision: revision, time: time,
      versions: numbers(fields.dictionary("versions")),
      lastNumbers: numbers(fields.dictionary("lastNumbers")),
      problems: fields.texts("problems") ?? [])
  }

  private static func numbers(_ entries: [String: PropertyListValue]?) -> [String: Int64] {
    (entries ?? [:]).compactMapValues { value in
      if case .integer(let number) = value { number } else { nil }
    }
  }
}
