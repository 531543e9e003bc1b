/// What could not be done, to which file, and why.
public struct StorageError: Error, Sendable, Hashable {
  /// What was tried.
  public enum Operation: String, Sendable {
    /// Opening a file.
    case open
    /// Reading bytes.
    case read
    /// Writing bytes.
    case write
    /// Reserving space.
    case allocate
    /// Making what was written survive a power failure.
    case synchronize
    /// Giving a file another name.
    case rename
    /// Removing a file.
    case remove
    /// Mapping a file into memory.
    case map
    /// Learning of changes.
    case watch
    /// Taking a lock.
    case lock
    /// Looking at a file's size, times and owner.
    case status = "look at"
    /// Listing a directory.
    case list
    /// Making a directory.
    case makeDirectory = "make the directory"
    /// Setting a file's permissions and owner.
    case setAttributes = "set the permissions of"
    /// Setting a value.
    case set
    /// Decoding a value.
    case decode
  }

  /// What was tried.
  public var operation: Operation { details.operation }
  /// The file, or the key, with which it was tried.
  public var path: String { details.path }
  /// The system's error number, or 0 if the reason is not the system's.
  public var code: Int32 { details.code }
  /// The reason, if it is not the system's, or what to do about it.
  public var reason: String? { details.reason }

  @inline(never)
  init(_ operation: Operation, _ path: String, code: Int32 = 0, reason: String? = nil) {
    box = .details(Details(operation: operation, path: path, code: code, reason: reason))
  }

  private struct Details: Hashable {
    let operation: Operation
    let path: String
    let code: Int32
    let reason: String?
  }

  /// One word: hundreds of functions pass errors on, and each has the code that copies them.
  private indirect enum Box: Hashable {
    case details(Details)
  }

  private let box: Box
  private var details: Details {
    switch box {
    case .details(let details): details
    }
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

  /// Whether the disk, or what this user may take of it, is full.
  var isOfNoRoom: Bool { code == SystemCode.noSpace || code == SystemCode.overQuota }

  /// Whether the kernel had nothing left to give.
  var isOfShortage: Bool { code == SystemCode.noSpace || code == SystemCode.noMemory }

  /// Whether a server can't be reached, or wants a new ticket of this user.
  private var isOfServer: Bool {
    switch code {
    case SystemCode.stale, SystemCode.timedOut, SystemCode.keyExpired, SystemCode.hostDown,
      SystemCode.hostUnreachable, SystemCode.networkUnreachable:
      true
    default: false
    }
  }

  /// Whether the next attempt may succeed, although nobody changes the file.
  package var isOfMoment: Bool {
    isOfNoFiles || isOfShortage || isOfServer || code == SystemCode.failedDisk
  }
}

extension StorageError: CustomStringConvertible {
  public var description: String { "could not \(operation.rawValue) \(path): \(cause)" }

  /// Why it failed, for a message that names the file itself.
  package var cause: String {
    [code == 0 ? nil : systemText(code), reason].compactMap { $0 }.joined(separator: "; ")
  }
}
