import StrataDomains

/// Whom a policy is for: all hosts, those with one operating system, a group of hosts, one host, or
/// one user.
package struct PolicyLayer: Hashable, Sendable {
  /// In ascending order of precedence.
  package enum Kind: String, CaseIterable, Sendable {
    case all
    case os
    case group
    case host
    case user
  }

  package static let all = PolicyLayer(unchecked: .all, "")

  package let kind: Kind
  /// Empty for `all`.
  package let name: String

  private init(unchecked kind: Kind, _ name: String) {
    self.kind = kind
    self.name = name
  }

  /// Nil if this can't be the name of one.
  package init?(_ kind: Kind, _ name: String) {
    guard kind == .all ? name.isEmpty : PlainName.isValid(name) else { return nil }
    self.init(unchecked: kind, name)
  }

  /// Parses `all`, `os:NAME`, `group:NAME`, `host:NAME` or `user:NAME`.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let kind = Kind(rawValue: String(parts[0])), (kind == .all) == (parts.count == 1) else {
      return nil
    }
    self.init(kind, parts.count == 1 ? "" : String(parts[1]))
  }

  package var text: String { kind == .all ? kind.rawValue : "\(kind.rawValue):\(name)" }
}

extension PolicyLayer: Comparable {
  /// Layers of lower precedence come first; those of one kind in the order of their names.
  package static func < (left: PolicyLayer, right: PolicyLayer) -> Bool {
    left.kind == right.kind
      ? left.name.utf8.lexicographicallyPrecedes(right.name.utf8) : left.kind < right.kind
  }
}

extension PolicyLayer.Kind: Comparable {
  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

  private var number: Int {
    switch self {
    case .all: 0
    case .os: 1
    case .group: 2
    case .host: 3
    case .user: 4
    }
  }
}
