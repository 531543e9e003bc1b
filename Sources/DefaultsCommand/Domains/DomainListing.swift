import StrataPropertyList

/// All domains of a place: those that have values, and those that can't be read.
struct DomainListing {
  var domains: [(domain: NamedDomain, values: [String: PropertyListValue])] = []
  /// With the message to print. If some of its values are known, the domain is in `domains`, too;
  /// nil for one whose name is not known.
  var unreadable: [(domain: NamedDomain?, text: String)] = []
}
