// The values that a `FileSystem` takes and gives.

/// An open file.
package struct FileID: Hashable, Sendable {
  let rawValue: Int32

  init(rawValue: Int32) { self.rawValue = rawValue }
}

/// How a file is opened.
package enum FileAccess: Sendable, Hashable {
  case read
  case readWrite
  /// Read and write; made with this mode if there is none.
  case make(mode: UInt32)
  /// Read and write; made with this mode, and refused if there is one.
  case create(mode: UInt32)
  /// Read and write; made anew, empty, with this mode.
  case replace(mode: UInt32)
}

/// What to do when the new name is taken.
package enum RenameRule: Sendable, Hashable {
  case replace
  case refuse
  /// The two names trade their files, at one moment.
  case exchange
}

/// Who sees what lies in a file system.
package enum FileSystemKind: Hashable, Sendable {
  /// This machine only, whose kernel tells of each change.
  case local
  /// The same, until it is restarted.
  case memory
  /// Other machines may as well, or what is in it can't be mapped; with the name of its type.
  case shared(String)

  var isShared: Bool {
    if case .shared = self { true } else { false }
  }
}

/// Who a file belongs to.
package struct FileOwner: Hashable, Sendable {
  package let user: UInt32
  package let group: UInt32

  package init(user: UInt32, group: UInt32) {
    self.user = user
    self.group = group
  }
}

/// What tells one state of a file from another without reading it.
package struct FileStatus: Hashable, Sendable {
  var device: UInt64 = 0
  var number: UInt64 = 0
  package var size: Int = 0
  var modified: Int64 = 0
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

/// What is watched of a path.
enum FileInterest: Sendable {
  /// Whether the directory, link or file itself, no link followed, loses its name.
  case itself
  /// The same of a directory, and of nothing else.
  case directory
  /// Which names the directory gets and loses.
  case names
  /// The same, and which of its files are signalled, or read.
  case signals
  /// All else that happens to what is named in the directory.
  case changes
}

/// Something that happened to what is watched.
struct FileEvent: Hashable, Sendable {
  enum Kind: Sendable {
    /// To what has the name in the directory.
    case change
    /// The directory got or lost the name.
    case name
    /// What was watched has another name now, or none, or is watched no longer.
    case gone
    /// Events were lost: anything may have happened.
    case overflow
  }

  let watch: Int32
  /// Empty for the directory itself.
  let name: String
  let kind: Kind
}

/// A name for the time since the machine started.
struct BootID: Hashable, Sendable {
  let high: UInt64
  let low: UInt64

  /// Whether the kernel told it.
  var isKnown: Bool { self != BootID(high: 0, low: 0) }

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
