import FleetModel

/// Versions of a policy that hosts have and the store does not, as after it was restored from a
/// backup that is older.
///
/// Hosts refuse a version with a lower number than theirs, also where only a candidate is later.
struct LostVersions {
  let name: PolicyName
  /// The last number that the store knows.
  private let known: Int64
  private let hosts: [(name: String, number: Int64)]
  /// Hosts whose numbers can't be true.
  private let wrong: [(name: String, number: Int64)]

  /// A host can report what it likes; it may not use up the numbers.
  private static let leapMax: Int64 = 10_000

  /// - Returns: nil if no host knows a later version than the store.
  init?(of name: PolicyName, _ hosts: [KnownHost], _ publication: Publication) {
    let known = publication.lastNumber(of: name)
    let ahead = hosts.map { ($0.name, $0.lastNumber(of: name)) }.filter { $0.1 > known }
    if ahead.isEmpty { return nil }
    self.name = name
    self.known = known
    self.hosts = ahead.filter { Self.contain($0.1, after: known) }
    wrong = ahead.filter { !Self.contain($0.1, after: known) }
  }

  /// Whether a version is later than the last one that the store knows, and can have been lost.
  static func contain(_ number: Int64, after known: Int64) -> Bool {
    number > known && number - known <= leapMax
  }

  /// The highest number that can be true; nil if none can.
  var last: Int64? { hosts.map(\.number).max() }

  /// Whether hosts refuse what the store has of a policy.
  static func needsRenewal(
    of name: PolicyName, _ hosts: [KnownHost], _ publication: Publication
  ) -> Bool {
    let policy = publication.policies[name.text]?.policy
    let own = [policy?.stable, policy?.candidate?.version].compactMap { $0?.number }
    let inForce = hosts.filter { $0.has(name) }.compactMap { $0.status?.versions[name.text] }
    // A host from which a candidate was just taken back may look the same.
    let isRefused = inForce.contains {
      !own.contains($0) && contain($0, after: policy?.stable?.number ?? 0)
    }
    return isRefused || LostVersions(of: name, hosts, publication)?.last != nil
  }

  /// - Parameter policy: as it will be, if it is to be changed.
  func description(after policy: Policy?) -> String {
    let has = "but the store has had \(known == 0 ? "none" : "no later one than \(known)")"
    var parts: [String] = []
    if let last {
      var part =
        "\(Shown.text(name.text)): \(Self.report(hosts)), \(has), as if it was restored from a "
        + "backup"
      if policy?.stable?.number ?? 0 <= last {
        part += "; those hosts refuse what is older: publish it on all hosts, with --renew"
      }
      parts.append(part)
    }
    if !wrong.isEmpty {
      parts.append(
        "\(Shown.text(name.text)): \(Self.report(wrong)), \(has), which can't be true: look at the "
          + "host")
    }
    return parts.joined(separator: "\n")
  }

  private static func report(_ hosts: [(name: String, number: Int64)]) -> String {
    let others = hosts.count - 1
    let first = Shown.text(hosts[0].name)
    return others == 0
      ? "\(first) reports version \(hosts[0].number)"
      : "\(first) and \(Shown.count(others, "other host")) report versions such as "
        + "\(hosts[0].number)"
  }
}
