public import Foundation

/// Why settings could not be found, registered or stored; nothing was changed then.
///
/// ```swift
/// do {
///   try defaults.store(image, forKey: "Avatar")
/// } catch {
///   logger.warning("\(error.localizedDescription)")  // what is wrong, and how to mend it
/// }
/// ```
public struct DefaultsError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// The key that could not be used; nil if no single key is at fault.
  public let key: String?
  /// The file at fault, which in a Settings bundle may be one of several; nil if none is.
  public let path: String?
  /// What is wrong, and how to mend it.
  public let reason: String
  /// Whether the program is at fault, and not what it found.
  let isMistake: Bool

  @inline(never)
  package init(key: String? = nil, path: String? = nil, reason: String, isMistake: Bool = false) {
    self.key = key
    self.path = path
    self.reason = reason
    self.isMistake = isMistake
  }

  /// The reason, which names the key; after the path of the file, where one is at fault.
  public var description: String { path.map { "\($0): \(reason)" } ?? reason }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
