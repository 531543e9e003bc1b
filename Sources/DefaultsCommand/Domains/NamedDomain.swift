package import StrataDomains

/// A domain, and what it was called.
package struct NamedDomain: Hashable, Sendable {
  /// As messages show it: what was typed, or the identifier that it stands for.
  package let shown: String
  package let identifier: DomainIdentifier

  package static let global = NamedDomain(shown: DomainIdentifier.global.name, identifier: .global)

  package init(shown: String, identifier: DomainIdentifier) {
    self.shown = shown
    self.identifier = identifier
  }

  /// The domain that a name or the absolute path of a property list means.
  init(_ text: String, isSetUID: Bool) throws(Failure) {
    do throws(DomainIdentifierError) {
      self.init(shown: text, identifier: try DomainIdentifier(text, isSetUID: isSetUID))
    } catch {
      throw Failure(error.description)
    }
  }
}

/// Which of a domain's places is meant.
package enum HostChoice: Hashable, Sendable {
  case any
  case this
  /// The host with this name or identifier.
  case named(String)
}
