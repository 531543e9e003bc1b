import FleetModel

/// Versions of a policy that hosts know and the store does not, as after it was restored from a
/// backup that is older.
///
/// Hosts refuse a version with a lower number than theirs.
struct LostVersions {
  let name: PolicyName
  /// The last number that the store knows.
  private let known: Int64
  private let hosts: [(name: String, number: Int64)]

  /// A host can report what it likes; it may not use up the numbers.
  private static let leapMax: Int64 = 10_000

  /// - Returns: nil if no host knows a later version than the store.
  init?(of name: PolicyName, _ hosts: [KnownHost], _ publication: Publication) {
    let known = publication.lastNumber(of: name)
    let ahead = hosts.map { ($0.name, $0.lastNumber(of: name)) }.filter { $0.1 > known }
    if ahead.isEmpty { return nil }
    self.name = name
    self.known = known
    self.hosts = ahead
  }

  /// The highest number that can be true; nil if none can.
  var last: Int64? {
    hosts.map(\.number).filter { $0 - known <= Self.leapMax }.max()
  }

  /// - Parameter after: the policy after a change, if it is to be changed.
  func description(after policy: Policy?) -> String {
    let (first, count) = (hosts[0], hosts.count)
    let others = count > 1 ? " and \(Shown.count(count - 1, "other host"))" : ""
    let report = count > 1 ? "report versions such as" : "reports version"
    var text =
      "\(Shown.text(name.text)): \(Shown.text(first.name))\(others) \(report) \(first.number), but "
      + "the store has had \(known == 0 ? "none" : "no later one than \(known)")"
    guard let last else { return text + ", which can't be true: look at the host" }
    text += ", as if it was restored from a backup"
    if policy?.stable?.number ?? 0 <= last {
      text += "; a version for all hosts replaces them: publish with --renew"
    }
    return text
  }
}
