// The C library's texts and numbers that the rest of this target needs.

import StrataSystem

/// The system's text for an error number.
func systemText(_ code: Int32) -> String {
  guard let text = strerror(code) else { return "error \(code)" }
  return String(cString: text)
}

extension String {
  /// The text of these bytes, repaired; paths are made by it, too.
  // One way to make texts, and the one by which Swift makes those of the program's arguments: a
  // first read needs no more of Swift's library than the program has used.
  @inline(never)
  package init(ofBytes bytes: UnsafeBufferPointer<UInt8>) {
    self.init(decoding: bytes, as: UTF8.self)
  }

  // Safety: the text ends with a zero.
  /// The same of a text of the C library's.
  package init(ofText text: UnsafePointer<CChar>) {
    let bytes = UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
    self.init(ofBytes: UnsafeBufferPointer(start: bytes, count: strlen(text)))
  }
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
  static let stale = ESTALE
  static let timedOut = ETIMEDOUT
  static let keyExpired = EKEYEXPIRED
  static let hostDown = EHOSTDOWN
  static let hostUnreachable = EHOSTUNREACH
  static let networkUnreachable = ENETUNREACH
  /// A file is shorter than it was: somebody has cut it off.
  static let cutOff = ESTALE
}
