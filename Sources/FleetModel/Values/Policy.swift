package import StrataPropertyList

/// What an administrator says that a domain must contain, with the versions that are in force.
package struct Policy: Equatable, Sendable {
  /// One version, as it was published.
  package struct Version: Equatable, Sendable {
    package var number: Int64
    package var author: String
    package var reason: String
    package var published: PropertyListDate
    package var content: PolicyContent
    /// All that the store says of the version, if not all of it is valid here, as if a newer
    /// program has published it: it is stored as it is with the version.
    package var unread: [String: PropertyListValue]?

    package init(
      number: Int64, author: String, reason: String, published: PropertyListDate,
      content: PolicyContent
    ) {
      self.number = number
      self.author = author
      self.reason = reason
      self.published = published
      self.content = content
    }
  }

  /// A version that is being tried on some hosts.
  package struct Candidate: Equatable, Sendable {
    package var version: Version
    package var rollout: Rollout

    package init(_ version: Version, _ rollout: Rollout) {
      self.version = version
      self.rollout = rollout
    }
  }

  package let name: PolicyName
  /// Nil as long as only a candidate was published.
  package var stable: Version?
  package var candidate: Candidate?
  /// The highest number that a version of this policy ever had.
  package var lastNumber: Int64
  /// What else the store says of the policy.
  package var unread: [String: PropertyListValue] = [:]

  package init(
    _ name: PolicyName, stable: Version? = nil, candidate: Candidate? = nil, lastNumber: Int64
  ) {
    self.name = name
    self.stable = stable
    self.candidate = candidate
    self.lastNumber = lastNumber
  }

  /// The version that is in force on a host.
  package func version(on host: HostFacts) -> Version? {
    if let candidate, candidate.rollout.includes(host, candidate.version.number, of: name) {
      return candidate.version
    }
    return stable
  }
}
