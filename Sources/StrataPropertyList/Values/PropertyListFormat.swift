/// A format of property lists.
public enum PropertyListFormat: Sendable, Hashable, CaseIterable {
  /// Apple's `bplist00`, the format of every new domain.
  case binary
  /// Apple's XML 1.0 format, with the same layout.
  case xml
  /// The ASCII format of OpenStep with GNUstep's typed values, for people.
  case openStep
  /// JSON, for people and tools; `PropertyList.losses(of:as:)` tells what it does not preserve.
  case json
}
