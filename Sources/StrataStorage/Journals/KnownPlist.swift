import StrataPropertyList

/// Why the files are looked at.
enum Access: Sendable { case reading, writing }

/// What is known of a property list, and what another look at it means. Pure.
struct KnownPlist: Sendable {
  /// How the file looked when its content was last known; nil when there was none.
  private(set) var status: FileStatus?
  /// Whether the content could be used. Else a checkpoint keeps it aside.
  private(set) var isSound = true
  /// Why the file can't be read. It stays as it is for as long, and what it holds is unknown.
  private(set) var obstacle: StorageError?
  /// The format in which it is written.
  private(set) var format = PropertyListFormat.binary
  /// Whether it was not there at the last look of a read.
  private(set) var isMissing = false
  /// Since when what is there can't be used.
  var unsoundSince: Int64 = 0

  /// What another look at the file shows.
  enum Look: Hashable, Sendable {
    /// The file whose content is known.
    case known
    /// Nothing, for the first time: some tools replace a file by removing it first. A read believes
    /// that at its second look. A write can't wait, since it is newer than a removal it has seen.
    case missing
    /// Another file, or one that has to be read again.
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
    // Whether this process may read it shows in no status.
    if obstacle == nil {
      if now == status { return .known }
      if let now, header.isBase(now) {
        status = now
        return .known
      }
    }
    return now == nil && access == .reading && !isMissing ? .missing : .changed
  }

  /// Notes what the file turned out to hold.
  mutating func note(_ reading: PlistReading, at now: Int64) {
    if !reading.isSound, isSound || status != reading.status { unsoundSince = now }
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

  /// A checkpoint of another process did; what the file looks like is still to be seen.
  mutating func noteWrittenByOthers() { isSound = true }

  /// The content is known, but not which file it stands on.
  mutating func forgetStatus() { status = nil }

  /// What can't be used may be an edit that is being written: whether it still gets the time to
  /// become one.
  func isUnsettled(at now: Int64) -> Bool {
    !isSound && now < unsoundSince + Self.unsoundTimeMin
  }

  private static let unsoundTimeMin: Int64 = 1_000_000_000
}
