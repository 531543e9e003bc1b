import CStrata

/// The part of a journal's first page that never changes: what the journal is, and what its base is
/// (the plist file that its records apply to).
///
/// Bytes, all numbers little-endian:
///
///     offset  size
///     0       8     magic
///     8       4     version
///     12      4     checksum of the other 124 bytes
///     16      8     id
///     24      8     lineage
///     32      4     salt of the damaged journal that it was made from
///     36      4     how many of that one's records it begins with
///     40      4     where the last of these ended there
///     44      4     generation
///     48      8     base: size
///     56      4     base: checksum
///     64      16    boot id
///     80      8     base: file number
///     88      8     base: time of modification
///     96      8     base: time of status change
///     104     8     former records' base: size; 0 if there are none
///     112     4     former records' base: checksum
///     120     8     former records: where they end
struct JournalHeader: Equatable, Sendable {
  static let size = 128
  static let magic: UInt64 = 0x0A4A_4154_4152_5453  // "STRATAJ\n"
  static let version: UInt32 = 2
  /// The version in which a lock guarded appending: records are the same, words are not.
  static let versionWithLock: UInt32 = 1

  var version = JournalHeader.version
  /// Random; its lower half, the salt, is in every record.
  var id: UInt64
  /// The lineage: the id of the first of the journals that continued one another up to this one.
  var lineage: UInt64
  /// How many of its lineage came before it.
  var generation: UInt32 = 0
  /// The salt of the damaged journal that it was made from (only the bit that each salt has, if
  /// that is not known), how many of its own first records come from there, and where the last of
  /// these ended.
  var mendedSalt: UInt32 = 0
  var mendedCount: UInt32 = 0
  var mendedEnd = 0
  /// The base: the identity of the plist file that the records apply to.
  var base: PlistIdentity
  /// The base's status when it was written; a file that still has it need not be read again.
  var baseNumber: UInt64 = 0
  var baseModified: Int64 = 0
  var baseChanged: Int64 = 0
  var boot: BootID
  /// Where the base is a file that can't be read: the records that are older than it, if it turns
  /// out to be another file than theirs.
  var former: FormerRecords?

  /// The file that its records were last set on, as far as it could be read.
  var knownBase: PlistIdentity { base == .unknown ? former?.base ?? .unknown : base }

  init(id: UInt64, base: PlistIdentity, boot: BootID) {
    self.id = id
    lineage = id
    self.base = base
    self.boot = boot
  }

  /// The header of a new journal whose base has this content and status.
  init(on identity: PlistIdentity, _ status: FileStatus?, boot: BootID) {
    self.init(id: .random(in: 0 ... .max) | UInt64(JournalMark.saltBit), base: identity, boot: boot)
    baseNumber = status?.number ?? 0
    baseModified = status?.modified ?? 0
    baseChanged = status?.changed ?? 0
  }

  /// Whether a file with this status is the base, as far as can be told without reading it.
  func isBase(_ status: FileStatus) -> Bool {
    base.size == UInt64(status.size) && baseNumber == status.number
      && baseModified == status.modified && baseChanged == status.changed
  }

  /// Whether a file with this status has the base's content, as far as a status tells. A rename
  /// since then makes no difference, as it does to `isBase`.
  func isBaseContent(_ status: FileStatus) -> Bool {
    base.size == UInt64(status.size) && baseNumber == status.number
      && baseModified == status.modified
  }

  var salt: UInt32 { UInt32(truncatingIfNeeded: id) }

  /// What a journal's first bytes turned out to be.
  enum Reading: Equatable, Sendable {
    case header(JournalHeader)
    case newer(version: UInt32)
    /// Only zeros: it was never written, or never reached the disk.
    case blank
    case damaged
  }

  static func read(_ bytes: [UInt8]) -> Reading { bytes.withUnsafeBytes { read($0) } }

  // Safety: the second guard leaves `size` bytes, and every offset below is within them.
  static func read(_ raw: UnsafeRawBufferPointer) -> Reading {
    // Not of a slice, which is code that a first read has no other use for.
    guard (0..<min(size, raw.count)).contains(where: { raw[$0] != 0 }) else { return .blank }
    guard raw.count >= size else { return .damaged }
    func word<Word: FixedWidthInteger>(_ offset: Int, _: Word.Type = Word.self) -> Word {
      Word(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: Word.self))
    }
    guard word(0) == magic, word(12) == checksum(of: raw) else { return .damaged }
    if word(8) > version { return .newer(version: word(8)) }
    var header = JournalHeader(
      id: word(16), base: PlistIdentity(size: word(48), checksum: word(56)),
      boot: BootID(high: word(64), low: word(72)))
    header.version = word(8)
    if header.version == version {
      header.lineage = word(24)
      header.mendedSalt = word(32)
      header.mendedCount = word(36)
      header.mendedEnd = Int(clamping: word(40, UInt32.self))
      header.generation = word(44)
    }
    header.baseNumber = word(80)
    header.baseModified = word(88)
    header.baseChanged = word(96)
    let formerBase = PlistIdentity(size: word(104), checksum: word(112))
    if formerBase.size != 0 {
      header.former = FormerRecords(base: formerBase, end: Int(clamping: word(120, UInt64.self)))
    }
    return .header(header)
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
      put(UInt32(clamping: mendedEnd), 40)
      put(generation, 44)
      put(base.size, 48)
      put(base.checksum, 56)
      put(boot.high, 64)
      put(boot.low, 72)
      put(baseNumber, 80)
      put(baseModified, 88)
      put(baseChanged, 96)
      put(former?.base.size ?? 0, 104)
      put(former?.base.checksum ?? 0, 112)
      put(UInt64(former?.end ?? 0), 120)
    }
    bytes.withUnsafeMutableBytes { raw in
      let sum = Self.checksum(of: UnsafeRawBufferPointer(raw))
      raw.storeBytes(of: sum.littleEndian, toByteOffset: 12, as: UInt32.self)
    }
    return bytes
  }

  // Safety: whoever asks has `size` bytes, which are read here in three parts.
  /// The checksum of a header, with zeros in place of the one that it has.
  static func checksum(of raw: UnsafeRawBufferPointer) -> UInt32 {
    precondition(raw.count >= size, "a header has \(size) bytes, not \(raw.count)")
    var zeros: UInt32 = 0
    let start = strata_crc32c(0, raw.baseAddress, 12)
    let middle = strata_crc32c(start, &zeros, 4)
    return strata_crc32c(middle, raw.baseAddress.map { $0 + 16 }, size - 16)
  }
}

/// The records up to `end`, which were set while the property list was `base`, as far as is known.
struct FormerRecords: Equatable, Sendable {
  let base: PlistIdentity
  let end: Int
}

/// The offsets of what is in a journal's file, and the sizes by which it grows.
enum JournalLayout {
  /// The coherence word: see `JournalWord`.
  static let word = 128
  static let watchers = 256
  static let intent = 320
  static let syncedLength = 384
  /// Whether this journal's name is known to be on the disk.
  static let linked = 392
  /// Whether the names of the directories that lead to it are.
  static let located = 396
  /// The number of the journal that takes this one's place; 0 as long as there is none.
  static let successor = 400
  /// The process that is writing the plist file; 0 when none is.
  static let writer = 408
  /// How many drafts were begun that were to take this one's place.
  static let drafts = 416
  /// The lineage to which this one's values were brought after it had lost its name.
  static let broughtTo = 424
  /// Whether making it durable has failed once.
  static let failed = 432
  /// Which draft of the plist file may lie beside that.
  static let plistDraft = 440
  static let continuation = 448
  /// What the last process has brought that had lost its journal.
  static let rescue = 480
  /// Which change set is not to be made again.
  static let once = 512
  static let recordsStart = 4096

  /// The size of an *idle* journal: one that holds no record, announces no checkpoint and is not
  /// retired. Before any of that, it is made longer. So who finds this size knows that the property
  /// list holds everything, without opening the journal. (No cut to whole blocks leaves this size.)
  static let idleSize = recordsStart + 8
  /// The size while little is pending; the first record that does not fit makes it grow.
  static let initialSize = 1 << 13
  static let growthMin = 1 << 16
  /// On a disk that is nearly full it grows by as many of these as are needed.
  static let pageSize = 1 << 12
  /// A journal doubles, but grows by no more than this at once: the writer waits for the room.
  static let growthMax = 1 << 20
}

/// An intent: the announcement of a checkpoint, before its file gets its name, that a plist file of
/// this identity will hold all records up to `covers`.
///
/// Before the checkpoint is over, others may take in an edit. Their journal, which is based on the
/// edited file, says the same as *overtaken*: the checkpoint may still take the name from that
/// file, until it sees that it did, or until somebody gives the name back.
struct CheckpointIntent: Equatable, Sendable {
  let identity: PlistIdentity
  /// 0 once it is overtaken.
  let covers: Int
  /// The draft as which the file lies there until then.
  let draft: PlistDraft.Number

  init(identity: PlistIdentity, covers: Int, draft: PlistDraft.Number) {
    self.identity = identity
    self.covers = covers
    self.draft = draft
  }

  var isOvertaken: Bool { covers == 0 }
  /// The length from which on records must be added to the file.
  var end: Int { max(covers, JournalLayout.recordsStart) }
}

/// The last change set that is made only once: its number, and where its record begins; 0 where an
/// earlier journal had it.
struct OnceMark: Equatable, Sendable {
  let number: UInt64
  let start: Int
}

/// How much a process has read of the journals of a lineage, or a plist file holds of them: this
/// one up to a length, and all that those before it held.
struct JournalKnowledge: Equatable, Sendable {
  let lineage: UInt64
  let generation: UInt32
  let length: Int

  init(lineage: UInt64, generation: UInt32, length: Int) {
    (self.lineage, self.generation, self.length) = (lineage, generation, length)
  }

  init(of journal: JournalHeader, upTo length: Int) {
    self.init(lineage: journal.lineage, generation: journal.generation, length: length)
  }

  /// As it is stored.
  init(words: (UInt64, UInt64)) {
    self.init(
      lineage: words.0, generation: UInt32(words.1 >> 32),
      length: Int(UInt32(truncatingIfNeeded: words.1)))
  }

  var words: (UInt64, UInt64) {
    (lineage, UInt64(generation) << 32 | UInt64(UInt32(clamping: length)))
  }

  /// Whether it is of the same journal.
  func isOfSame(_ other: JournalKnowledge) -> Bool {
    lineage == other.lineage && generation == other.generation
  }

  /// Whether it is of the same journal, or of one that continued that.
  func isOfSameOrLater(_ other: JournalKnowledge) -> Bool {
    lineage == other.lineage && generation >= other.generation
  }

  /// Whether who has read that much knows nothing that is not known here.
  func includes(_ other: JournalKnowledge) -> Bool {
    lineage == other.lineage
      && (generation, length) >= (other.generation, other.length)
  }
}

/// A process that had read so much before its journal was lost has brought what it knew to this
/// one, in the record that ends at `end`; 0 if nothing was missing here.
struct JournalRescue: Equatable, Sendable {
  let knowledge: JournalKnowledge
  let end: Int
}

/// Whoever knows all of the journal `id` up to `length` knows all of this one up to `end`.
struct JournalContinuation: Equatable, Sendable {
  let id: UInt64
  let length: Int
  let end: Int
}
