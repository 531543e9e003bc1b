package import StrataDomains

/// Which policy: each layer has at most one for a domain.
package struct PolicyName: Hashable, Sendable {
  package let layer: PolicyLayer
  package let domain: DomainIdentifier
  /// The domain's name as part of a key of the store, and as the name of a file.
  package let fileName: String

  /// Nil for a domain that is identified by a path, which only its own host could have.
  package init?(_ layer: PolicyLayer, _ domain: DomainIdentifier) {
    guard let fileName = domain.fileName else { return nil }
    self.layer = layer
    self.domain = domain
    self.fileName = fileName
  }

  package var text: String { "\(layer.text)/\(domain.name)" }
}

extension PolicyName: Comparable {
  package static func < (left: PolicyName, right: PolicyName) -> Bool {
    left.layer == right.layer
      ? left.domain.name.utf8.lexicographicallyPrecedes(right.domain.name.utf8)
      : left.layer < right.layer
  }
}
