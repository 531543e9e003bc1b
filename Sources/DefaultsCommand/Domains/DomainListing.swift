import StrataPropertyList

/// All domains of a place: those that have values, and those that could not be read.
struct DomainListing {
  var domains: [(domain: NamedDomain, values: [String: PropertyListValue])] = []
  /// With what a person should read. What is known of such a domain is among the others, too.
  var unreadable: [(domain: NamedDomain, text: String)] = []
}
