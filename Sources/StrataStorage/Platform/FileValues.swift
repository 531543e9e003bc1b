// The values that a `FileSystem` takes and gives.

/// An open file.
package struct FileID: Hashable, Sendable {
  let rawValue: Int32

  init(rawValue: Int32) { self.rawValue = rawValue }
}

/// How a file is opened.
package enum FileAccess: Sendable, Equatable {
  case read
  case readWrite
  /// Read and write; made with this mode if it does not exist.
  case make(mode: UInt32)
  /// Read and write; made with this mode, and refused if it exists.
  case create(mode: UInt32)
  /// Read and write; made anew and empty, with this mode.
  case replace(mode: UInt32)
}

/// What to do if the new name is taken.
package enum RenameRule: Sendable, Equatable {
  case replace
  case refuse
  /// The two names exchange their files, in one step.
  case exchange
}

/// Who sees the files of a file system.
package enum FileSystemKind: Equatable, Sendable {
  /// This machine only, whose kernel reports every change.
  case local
  /// The same, until the machine is restarted.
  case memory
  /// Other machines may, too, or its files can't be mapped; with the name of its type.
  case shared(String)

  var isShared: Bool {
    if case .shared = self { true } else { false }
  }
}

/// Whom a file belongs to.
package struct FileOwner: Equatable, Sendable {
  package let user: UInt32
  package let group: UInt32

  package init(user: UInt32, group: UInt32) {
    self.user = user
    self.group = group
  }
}

/// What distinguishes one state of a file from another, without reading it.
package struct FileStatus: Equatable, Sendable {
  var device: UInt64 = 0
  var number: UInt64 = 0
  package var size: Int = 0
  package var modified: Int64 = 0
  var changed: Int64 = 0
  package var mode: UInt32 = 0
  package var owner = FileOwner(user: 0, group: 0)
  package var isRegular = true
  var nameCount = 1

  package init() {}

  /// Whether both are the same file, whatever it holds.
  package func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && number == other.number
  }
}

/// What a path is watched for.
enum FileInterest: Sendable {
  /// Whether the directory, link or file itself loses its name; no link is followed.
  case itself
  /// The same, for a directory only.
  case directory
  /// Names that the directory gets or loses.
  case names
  /// The same, and files in it that are signalled or read.
  case signals
  /// Names that the directory gets or loses, and changes of the files in it.
  case changes
}

/// Something that happened to what is watched.
struct FileEvent: Equatable, Sendable {
  enum Kind: Sendable {
    /// The file of this name in the directory changed.
    case change
    /// The directory got or lost this name.
    case name
    /// What was watched lost its name, or is not watched any more.
    case gone
    /// Events were lost: anything may have happened.
    case overflow
  }

  let watch: Int32
  /// Empty for the directory itself.
  let name: String
  let kind: Kind
}

/// Identifies the time since the machine was started.
struct BootID: Equatable, Sendable {
  let high: UInt64
  let low: UInt64

  /// Whether the kernel gave one.
  var isKnown: Bool { self != BootID(high: 0, low: 0) }

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
