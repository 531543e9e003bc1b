/// What an administrator has recorded of a host.
package struct HostRecord: Equatable, Sendable {
  package var groups: [String] = []
  /// The users for whom this host has policies.
  package var users: [String] = []
  package var labels: [String: String] = [:]
  /// When a host gets candidates that are published by rings: the lower, the earlier.
  package var ring: Int64 = Self.lastRing
  /// Its operating system; nil if the host itself knows best.
  package var os: String?

  package static let lastRing: Int64 = 9

  package init(
    groups: [String] = [], users: [String] = [], labels: [String: String] = [:],
    ring: Int64 = HostRecord.lastRing, os: String? = nil
  ) {
    self.groups = groups
    self.users = users
    self.labels = labels
    self.ring = ring
    self.os = os
  }
}

/// What decides which policies a host has.
package struct HostFacts: Equatable, Sendable {
  package let name: String
  /// Its operating system as the host reports it; nil if that is unknown.
  package var ownOS: String?
  package var record: HostRecord

  package init(name: String, ownOS: String? = nil, record: HostRecord = HostRecord()) {
    self.name = name
    self.ownOS = ownOS
    self.record = record
  }

  /// The layers for the whole host, in ascending order of precedence.
  package var layers: [PolicyLayer] {
    let os = (record.os ?? ownOS).flatMap { PolicyLayer(.os, $0) }
    let groups = Set(record.groups.compactMap { PolicyLayer(.group, $0) }).sorted()
    let host = PolicyLayer(.host, name)
    return [.all] + [os].compactMap { $0 } + groups + [host].compactMap { $0 }
  }

  /// The layers of its users.
  package var userLayers: [PolicyLayer] {
    Set(record.users.compactMap { PolicyLayer(.user, $0) }).sorted()
  }
}
