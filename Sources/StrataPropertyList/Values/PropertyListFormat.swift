/// One of the notations that a property list can be written in.
public enum PropertyListFormat: Sendable, Hashable, CaseIterable {
  /// Apple's `bplist00`: the notation of every new domain.
  case binary
  /// Apple's XML 1.0 notation, laid out as Apple lays it out.
  case xml
  /// The ASCII notation of OpenStep with GNUstep's typed values, for people.
  case openStep
  /// JSON, for people and tools; `PropertyList.losses(of:as:)` says what it does not keep.
  case json
}
