/// The unchanging part of a journal's first page: what the journal is, and what it stands on.
///
/// Bytes, all numbers little-endian:
///
///     0 magic 8 · 8 version 4 · 12 checksum of the other 124 bytes 4 · 16 id 8 · 24 lineage 8
///     32 salt of the damaged journal that it was made of 4 · 36 how many of its records it has 4
///     48 base: size 8, checksum 4 · 64 boot id 16
///     80 base's file number 8 · 88 its time of modification 8
///     96 its time of status change 8
struct JournalHeader: Hashable, Sendable {
  static let size = 128
  static let magic: UInt64 = 0x0A4A_4154_4152_5453  // "STRATAJ\n"
  static let version: UInt32 = 2
  /// Its records are the same; its words mean something else.
  static let versionWithLock: UInt32 = 1

  var version = JournalHeader.version
  /// Random; the low half is in every record.
  var id: UInt64
  /// The id of the first of the journals that continued one another up to this one.
  var lineage: UInt64
  /// Which damaged journal it was made of, and how many records it begins with are from there.
  var mendedSalt: UInt32 = 0
  var mendedCount: UInt32 = 0
  /// The plist file to whose content the records are added.
  var base: PlistIdentity
  /// How that file looked when it was written; saves reading it to know that it is still the same.
  var baseNumber: UInt64 = 0
  var baseModified: Int64 = 0
  var baseChanged: Int64 = 0
  var boot: BootID

  init(id: UInt64, base: PlistIdentity, boot: BootID) {
    self.id = id
    lineage = id
    self.base = base
    self.boot = boot
  }

  /// The head of a new journal that stands on the file with this content and status.
  init(on identity: PlistIdentity, _ status: FileStatus?, boot: BootID) {
    self.init(id: .random(in: 0 ... .max) | UInt64(JournalMark.saltBit), base: identity, boot: boot)
    baseNumber = status?.number ?? 0
    baseModified = status?.modified ?? 0
    baseChanged = status?.changed ?? 0
  }

  /// Whether a file with this status is, without a look inside, the one that the journal stands on.
  func isBase(_ status: FileStatus) -> Bool {
    base.size == UInt64(status.size) && baseNumber == status.number
      && baseModified == status.modified && baseChanged == status.changed
  }

  /// Whether nobody wrote to that file since, by all that its status tells.
  func isBaseContent(_ status: FileStatus) -> Bool {
    base.size == UInt64(status.size) && baseNumber == status.number
      && baseModified == status.modified
  }

  var salt: UInt32 { UInt32(truncatingIfNeeded: id) }

  /// What a journal's first bytes turned out to be.
  enum Reading: Hashable, Sendable {
    case header(JournalHeader)
    case newer(version: UInt32)
    /// Only zeros: it was never written, or never reached the disk.
    case blank
    case damaged
  }

  static func read(_ bytes: [UInt8]) -> Reading {
    guard bytes.prefix(size).contains(where: { $0 != 0 }) else { return .blank }
    guard bytes.count >= size else { return .damaged }
    // Safety: the guard above leaves `size` bytes, and every offset below is within them.
    return bytes.withUnsafeBytes { raw in
      func word<Word: FixedWidthInteger>(_ offset: Int, _: Word.Type = Word.self) -> Word {
        Word(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: Word.self))
      }
      guard word(0) == magic, word(12) == checksum(of: bytes) else { return .damaged }
      if word(8) > version { return .newer(version: word(8)) }
      var header = JournalHeader(
        id: word(16), base: PlistIdentity(size: word(48), checksum: word(56)),
        boot: BootID(high: word(64), low: word(72)))
      header.version = word(8)
      if header.version == version {
        header.lineage = word(24)
        header.mendedSalt = word(32)
        header.mendedCount = word(36)
      }
      header.baseNumber = word(80)
      header.baseModified = word(88)
      header.baseChanged = word(96)
      return .header(header)
    }
  }

  var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.size)
    bytes.withUnsafeMutableBytes { raw in
      func put(_ word: some FixedWidthInteger, _ offset: Int) {
        raw.storeBytes(of: word.littleEndian, toByteOffset: offset, as: type(of: word))
      }
      put(Self.magic, 0)
      put(version, 8)
      put(id, 16)
      put(lineage, 24)
      put(mendedSalt, 32)
      put(mendedCount, 36)
      put(base.size, 48)
      put(base.checksum, 56)
      put(boot.high, 64)
      put(boot.low, 72)
      put(baseNumber, 80)
      put(baseModified, 88)
      put(baseChanged, 96)
    }
    let sum = Self.checksum(of: bytes)
    bytes.withUnsafeMutableBytes {
      $0.storeBytes(of: sum.littleEndian, toByteOffset: 12, as: UInt32.self)
    }
    return bytes
  }

  static func checksum(of bytes: [UInt8]) -> UInt32 {
    var covered = [UInt8](bytes.prefix(size))
    for index in 12..<16 { covered[index] = 0 }
    return checksum32(covered)
  }
}

/// Where things stand in a journal file.
enum JournalLayout {
  /// The coherence word: see `JournalWord`.
  static let word = 128
  static let watchers = 256
  static let intent = 320
  static let syncedLength = 384
  /// Whether the directory that names this journal is known to be on the disk.
  static let linked = 392
  /// The number of the journal that takes this one's place; 0 as long as there is none.
  static let successor = 400
  /// The process that is writing the plist file; 0 when none is.
  static let writer = 408
  /// How many journals were begun that were to take this one's place.
  static let drafts = 416
  /// The lineage to which what this one held was brought after it had lost its name.
  static let broughtTo = 424
  /// Whether it once could not be made durable.
  static let failed = 432
  /// Which draft of the plist file may lie beside it.
  static let plistDraft = 440
  static let continuation = 448
  static let recordsStart = 4096

  /// Of a domain at rest; the first record that does not fit has it grow.
  static let initialSize = 1 << 13
  static let growthMin = 1 << 16
  /// A journal doubles, but grows no more than this at once: who appends waits for the room.
  static let growthMax = 1 << 20
}

/// What a checkpoint is about to do: a plist file of this identity will hold all records up to
/// `covers`. Written before the file gets its name.
///
/// While it is about to, others may take in an edit. Their journal, which stands on the edited
/// file, says the same as *overtaken*: the checkpoint may still take the name from that file, for
/// as long as it takes to see that it did, or until somebody gives the name back.
struct CheckpointIntent: Hashable, Sendable {
  let identity: PlistIdentity
  /// 0 once it is overtaken.
  let covers: Int
  /// As which the file lies there until then.
  let draft: PlistDraft.Number

  init(identity: PlistIdentity, covers: Int, draft: PlistDraft.Number) {
    self.identity = identity
    self.covers = covers
    self.draft = draft
  }

  var isOvertaken: Bool { covers == 0 }
  /// From where the records are to be added to the file.
  var end: Int { max(covers, JournalLayout.recordsStart) }
}

/// Whoever had all of that journal up to `length` has all of this one up to `end`.
struct JournalContinuation: Hashable, Sendable {
  let id: UInt64
  let length: Int
  let end: Int
}
