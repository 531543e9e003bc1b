import StrataPropertyList

/// For what the files are looked at.
enum Access: Sendable { case reading, writing }

/// What is known of a property list, and what another look at it means. Pure.
struct KnownPlist: Sendable {
  /// The file's status when its content was last known; nil if there was no file.
  private(set) var status: FileStatus?
  /// Whether the content could be used. If not, a checkpoint moves the file aside.
  private(set) var isSound = true
  /// Why the file can't be read. Until it can, it stays as it is, and its content is unknown.
  private(set) var obstacle: StorageError?
  /// The format in which the file is written.
  private(set) var format = PropertyListFormat.binary
  /// Whether the last look was a read's, and found no file for the first time.
  private(set) var isMissing = false
  /// Since when the content can't be used.
  var unsoundSince: Int64 = 0

  /// What another look at the file shows.
  enum Look: Equatable, Sendable {
    /// The file whose content is known.
    case known
    /// No file, for the first time: some tools replace a file by removing it first. So a read
    /// believes it only at its second look. A write can't wait, since it is newer than a removal
    /// that it sees.
    case missing
    /// Another file, or one that must be read again.
    case changed
  }

  mutating func look(_ now: FileStatus?, _ header: JournalHeader, for access: Access) -> Look {
    let look = judged(now, header, access)
    isMissing = look == .missing
    return look
  }

  private mutating func judged(
    _ now: FileStatus?, _ header: JournalHeader, _ access: Access
  ) -> Look {
    // The status does not tell whether this process may read the file by now; and of a journal on
    // a file that could not be read, nobody knows what it is to be added to.
    if obstacle == nil, header.base != .unknown {
      if now == status { return .known }
      if let now, header.isBase(now) {
        status = now
        return .known
      }
    }
    return now == nil && access == .reading && !isMissing ? .missing : .changed
  }

  /// Notes what was found in the file.
  mutating func note(_ reading: PlistReading, at now: Int64) {
    if !reading.isSound, isSound || status != reading.status { unsoundSince = now }
    isMissing = false
    isSound = reading.isSound
    obstacle = reading.obstacle
    status = reading.status
    if reading.isSound, reading.status != nil { format = reading.format }
  }

  /// A checkpoint of this process gave the file its content.
  mutating func noteWritten(_ status: FileStatus?) {
    self.status = status
    isSound = true
  }

  /// A checkpoint of another process did; its file's status has yet to be looked up.
  mutating func noteWrittenByOthers() { isSound = true }

  /// Keeps the content as known, but not from which file it is.
  mutating func forgetStatus() { status = nil }

  /// Whether a file that can't be used is given more time, since it may be an edit that is still
  /// being written.
  func isUnsettled(at now: Int64) -> Bool {
    !isSound && now < unsoundSince + Self.unsoundTimeMin
  }

  private static let unsoundTimeMin: Int64 = 1_000_000_000
}
