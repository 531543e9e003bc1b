package import StrataDomains

/// A domain, and the name that the user gave it.
package struct NamedDomain: Hashable, Sendable {
  /// The name in messages: what was typed, or the identifier that it stands for.
  package let shown: String
  package let identifier: DomainIdentifier

  package static let global = NamedDomain(shown: DomainIdentifier.global.name, identifier: .global)

  /// What names the global domain in arguments and files.
  static let globalNames = [
    "-g", "-globalDomain", "NSGlobalDomain", ".GlobalPreferences", "Apple Global Domain",
    "Global Domain",
  ]

  package init(shown: String, identifier: DomainIdentifier) {
    self.shown = shown
    self.identifier = identifier
  }

  /// The same for a name that somebody typed, who may mean the global domain by several.
  package init(typed text: String, isSetUID: Bool) throws(Failure) {
    if Self.globalNames.contains(text) {
      self = .global
    } else {
      try self.init(text, isSetUID: isSetUID)
    }
  }

  /// The domain with this name, or the property list at this absolute path.
  ///
  /// A program may name a domain as a relative path is written; whoever types one means a file.
  package init(_ text: String, isSetUID: Bool) throws(Failure) {
    if ["./", "../", "~/"].contains(where: { text.utf8.starts(with: $0.utf8) }) {
      throw Failure("\(ShownName.text(of: text)) is a relative path; use an absolute one")
    }
    try self.init(stored: text, isSetUID: isSetUID)
  }

  /// The domain that a program has given this name, however it is written.
  package init(stored name: String, isSetUID: Bool) throws(Failure) {
    do throws(DomainIdentifierError) {
      self.init(shown: name, identifier: try DomainIdentifier(name, isSetUID: isSetUID))
    } catch {
      throw Failure(error.description)
    }
  }
}

/// The host that a domain is for, in output.
struct DomainHost: Hashable, Sendable {
  /// As in the names of its files.
  let identifier: String
  /// Follows the domain's name.
  let label: String
}

/// For which host a domain's values are read and written.
package enum HostChoice: Hashable, Sendable {
  case any
  case this
  /// The host with this name or identifier.
  case named(String)
}
