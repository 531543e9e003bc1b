package import StrataStorage

/// Why a file that only an administrator may have written is ignored, and how to fix it.
package struct Distrust: Equatable, Sendable {
  package enum Reason: Equatable, Sendable {
    /// It belongs to this user, who is not an administrator.
    case foreignOwner(UInt32)
    /// Its group or everyone may write to it.
    case writableByOthers
    /// It is a symbolic link: it is not known who can change its target.
    case link
    /// It is not a regular file.
    case noFile
    /// It could not be examined.
    case unknown(StorageError)
  }

  /// The property list that is ignored.
  package let plist: String
  /// The path at fault: the plist, one of its directories, or a file beside it that also holds
  /// values.
  package let path: String
  package let reason: Reason

  package init(plist: String, path: String, reason: Reason) {
    self.plist = plist
    self.path = path
    self.reason = reason
  }
}

extension Distrust: CustomStringConvertible {
  package var description: String {
    let fault =
      switch reason {
      case .foreignOwner(let user): "belongs to user \(user); run chown root \(path)"
      case .writableByOthers: "is writable by others; run chmod go-w \(path)"
      case .link: "is a symbolic link; replace it with the file it refers to"
      case .noFile: "is not a regular file; remove it"
      case .unknown(let error): "cannot be examined: \(error)"
      }
    return "\(plist) is ignored: \(path) \(fault)"
  }
}
