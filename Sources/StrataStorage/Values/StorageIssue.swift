/// Something about a domain on disk that a person should know: what happened, to which file, and
/// what to do.
public struct StorageIssue: Sendable, Hashable {
  /// The kinds of trouble.
  public enum Kind: String, Sendable {
    /// A file's bytes have changed since they were written; what was hit is lost, the rest is kept.
    case damaged
    /// A file is no property list; it is left as it is, or kept under another name.
    case malformed
    /// A file could not be read.
    case unreadable
    /// Values could not be stored; they live in this process until they can.
    case notStored
    /// Another process holds this one up.
    case waiting
    /// The system has run out of something that the program needs, such as threads.
    case shortage
    /// A file counts only if nobody but an administrator can write it, and somebody else can.
    case notTrusted
    /// A file was written by a newer version, and is left alone.
    case newerFormat
  }

  /// What kind of trouble it is.
  public let kind: Kind
  /// The file that it is about.
  public let path: String
  /// What happened, in words.
  public let text: String
  /// Where the bytes in question are kept, if not at `path`.
  public let keptAt: String?

  init(_ kind: Kind, _ path: String, _ text: String, keptAt: String? = nil) {
    self.kind = kind
    self.path = path
    self.text = text
    self.keptAt = keptAt
  }
}

extension StorageIssue: CustomStringConvertible {
  public var description: String {
    "\(path): \(kind.rawValue): \(text)" + (keptAt.map { " (kept at \($0))" } ?? "")
  }
}
