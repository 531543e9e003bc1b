// The C library's texts and numbers that the rest of this target needs.

import StrataSystem

/// The system's text for an error number.
func systemText(_ code: Int32) -> String {
  guard let text = strerror(code) else { return "error \(code)" }
  return String(cString: text)
}

extension String {
  // Safety: no more is copied than both buffers hold.
  /// The text of these bytes, repaired as by `init(decoding:as:)`; made by the same code as paths,
  /// so that a first read needs no more of Swift's library.
  package init(ofBytes bytes: UnsafeBufferPointer<UInt8>) {
    self.init(unsafeUninitializedCapacity: bytes.count) { buffer in
      guard let source = bytes.baseAddress, let target = buffer.baseAddress else { return 0 }
      let count = Swift.min(bytes.count, buffer.count)
      target.update(from: source, count: count)
      return count
    }
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
