/// Why preferences could not be found or stored.
public struct PreferencesError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, with which file or key, and how to mend it.
  public let reason: String

  init(_ reason: String) { self.reason = reason }

  /// The reason.
  public var description: String { reason }
}
