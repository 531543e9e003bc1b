public import StrataPropertyList

/// All values of a domain, as of one moment.
public struct Snapshot: Sendable, Hashable {
  /// The values by their keys.
  public let values: [String: PropertyListValue]

  package init(_ values: [String: PropertyListValue]) { self.values = values }
}
