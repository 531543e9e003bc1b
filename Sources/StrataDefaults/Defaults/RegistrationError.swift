/// Why what is in a file could not be registered; then nothing of it was.
public struct RegistrationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file that is at fault, which in a Settings bundle may be one of several.
  public let path: String
  /// What is wrong with it, and how to mend it.
  public let reason: String

  init(_ path: String, _ reason: String) {
    self.path = path
    self.reason = reason
  }

  /// The path and the reason.
  public var description: String { "\(path): \(reason)" }
}
