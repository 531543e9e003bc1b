public import StrataPropertyList

/// All values of a domain as they were together at one moment.
public struct Snapshot: Sendable, Hashable {
  public let values: [String: PropertyListValue]

  package init(_ values: [String: PropertyListValue]) { self.values = values }
}
