import CStrata

/// Which hosts have a candidate.
package enum Rollout: Equatable, Sendable {
  /// This many of 10,000 hosts. Raising the share keeps those that have it.
  case share(Int)
  /// The hosts in this ring and those below.
  case ring(Int64)

  package static let shareMax = 10_000

  /// Every host decides by itself, so that nobody keeps a list.
  package func includes(_ host: HostFacts, _ version: Int64, of name: PolicyName) -> Bool {
    switch self {
    case .share(let share): Self.position(of: host.name, version, name) < share
    case .ring(let ring): host.record.ring <= ring
    }
  }

  /// Where a host is in the order in which a version reaches hosts, below `shareMax`.
  ///
  /// It differs from policy to policy and from version to version, so that no host is always the
  /// first.
  package static func position(of host: String, _ version: Int64, _ name: PolicyName) -> Int {
    // NUL is in none of the names, so that no two policies have the same text.
    var text = "\(name.layer.text)\0\(name.fileName)\0\(version)\0\(host)"
    // Safety: the bytes are only read during the call.
    let hash = text.withUTF8 { strata_sha256($0.baseAddress, $0.count) }
    return Int(hash.high % UInt64(shareMax))
  }
}
