// The C library's texts and numbers that the rest of this target needs.

import StrataSystem

/// The system's text for an error number.
func systemText(_ code: Int32) -> String {
  guard let text = strerror(code) else { return "error \(code)" }
  return String(cString: text)
}

/// The error numbers that decide what is done next.
enum SystemCode {
  static let noSuchFile = ENOENT
  static let exists = EEXIST
  static let invalid = EINVAL
  static let readOnly = EROFS
  static let denied = EACCES
  static let noSpace = ENOSPC
  static let overQuota = EDQUOT
  static let tooManyFiles = EMFILE
  static let tooManyFilesOfAll = ENFILE
  static let noMemory = ENOMEM
  static let failedDisk = EIO
  static let notPermitted = EPERM
  static let unsupported = ENOSYS
  static let notSupported = EOPNOTSUPP
  static let tooManyNames = EMLINK
  static let notDirectory = ENOTDIR
  static let tooManyLinks = ELOOP
  static let nameTooLong = ENAMETOOLONG
  /// A file is shorter than it was: somebody has cut it off.
  static let cutOff = ESTALE
}
