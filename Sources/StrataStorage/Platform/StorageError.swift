/// What could not be done, to which file, and why.
public struct StorageError: Error, Sendable, Hashable {
  /// What was tried.
  public enum Operation: String, Sendable {
    case open, read, write, allocate, synchronize, rename, remove, map, watch, lock
    case status = "look at"
    case list
    case makeDirectory = "make the directory"
    case setAttributes = "set the permissions of"
    case set, decode
  }

  /// What was tried.
  public let operation: Operation
  /// The file, or the key, with which it was tried.
  public let path: String
  /// The system's error number, or 0 if the reason is not the system's.
  public let code: Int32
  /// The reason, if it is not the system's, or what to do about it.
  public let reason: String?

  init(_ operation: Operation, _ path: String, code: Int32 = 0, reason: String? = nil) {
    self.operation = operation
    self.path = path
    self.code = code
    self.reason = reason
  }
}

extension StorageError {
  /// Whether the file, or a directory on the way to it, does not exist.
  package var isOfMissing: Bool {
    code == SystemCode.noSuchFile || code == SystemCode.notDirectory
  }

  /// Whether the kernel or the file system does not support what was asked for.
  var isOfUnsupported: Bool {
    [SystemCode.invalid, SystemCode.unsupported, SystemCode.notSupported].contains(code)
  }

  /// Whether the process, or the machine, has as many files open as it may.
  var isOfNoFiles: Bool {
    code == SystemCode.tooManyFiles || code == SystemCode.tooManyFilesOfAll
  }

  /// Whether a file can't have a second name there.
  var isOfRefusedLink: Bool {
    isOfUnsupported || code == SystemCode.notPermitted || code == SystemCode.tooManyNames
  }

  /// Whether this user may not write there, or nothing can exist there.
  var isOfRefusedWriting: Bool {
    isOfMissing
      || [
        SystemCode.denied, SystemCode.readOnly, SystemCode.notPermitted, SystemCode.nameTooLong,
      ].contains(code)
  }

  /// Whether the kernel had nothing left to give.
  var isOfShortage: Bool { code == SystemCode.noSpace || code == SystemCode.noMemory }
}

extension StorageError: CustomStringConvertible {
  public var description: String {
    let causes = [code == 0 ? nil : systemText(code), reason].compactMap { $0 }
    return "could not \(operation.rawValue) \(path): \(causes.joined(separator: "; "))"
  }
}
