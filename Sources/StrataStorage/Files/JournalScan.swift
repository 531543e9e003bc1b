/// The change sets that a stretch of a journal holds, as far as its bytes are sound.
struct JournalScan: Sendable {
  /// The id of the journal; nil when its header is damaged.
  let journal: UInt64?
  private(set) var changeSets: [ChangeSet] = []
  /// Where each change set's record ends, counted in the journal.
  private(set) var ends: [Int] = []
  /// Stretches that held no sound record although sound ones follow, or were expected.
  private(set) var damagedCount = 0
  /// The checksum of the last record; nil when it is not known, as after damage.
  private(set) var lastSum: UInt32?
  /// Which journal's records these are; nil when none was found of one that is not known.
  private(set) var salt: UInt32?

  /// Fewer bytes hold neither a record nor a void mark.
  private static let sizeMin = 8

  /// What an unsound record means.
  enum Unsound: Sendable {
    /// It was acknowledged: bytes were damaged, and what follows still counts.
    case damage
    /// The machine stopped before it was on the disk: neither it nor anything behind it counts.
    case end
  }

  /// Nothing, of which something may be missing.
  init(of journal: JournalHeader, missing: Bool = false) {
    self.journal = journal.id
    damagedCount = missing ? 1 : 0
  }

  /// - Parameters:
  ///   - bytes: a private copy of the stretch: nobody can change it between check and use.
  ///   - offset: where in the journal the stretch begins.
  ///   - journal: its header; nil when that is damaged, and the records of any journal will do.
  ///   - missing: whether the stretch should have been longer.
  ///   - soundEnd: up to here an unsound record is damage, whatever `unsound` says.
  init(
    _ bytes: [UInt8], offset: Int, of journal: JournalHeader?, soundEnd: Int = 0,
    unsound: Unsound = .damage, missing: Bool = false
  ) {
    self.journal = journal?.id
    damagedCount = missing ? 1 : 0
    salt = journal?.salt
    // Safety: no position is looked at behind which a record's head does not fit.
    bytes.withUnsafeBytes { raw in
      var position = 0
      // How many bytes may be checked in vain, so that no bytes take quadratic time.
      var budget = 8 * bytes.count + 1 << 20
      while position + Self.sizeMin <= raw.count {
        let mayEnd = unsound == .end && offset + position >= soundEnd
        if let record = JournalRecord.check(raw, at: position, salt: salt, offset: offset),
          !mayEnd || record.follows(lastSum)
        {
          var reader = RecordReader(record.payload)
          if let changes = reader.changes() {
            changeSets.append(changes)
            ends.append(offset + position + record.length)
          } else {
            damagedCount += 1
          }
          if salt == nil { salt = raw.loadUnaligned(fromByteOffset: position, as: UInt32.self) }
          lastSum = record.sum
          position += record.length
          continue
        }
        if let salt, let size = Self.voidSize(raw, at: position, salt: salt) {
          position += size
          continue
        }
        if mayEnd { return }
        damagedCount += 1
        lastSum = nil
        position = next(raw, after: position, salt: salt, offset: offset, budget: &budget)
      }
    }
  }

  /// How many bytes there are void; nil if they are not.
  private static func voidSize(
    _ raw: UnsafeRawBufferPointer, at position: Int, salt: UInt32
  ) -> Int? {
    let bits = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: position, as: UInt32.self))
    guard case .void(let size) = JournalMark(bits, salt: salt), size <= raw.count - position else {
      return nil
    }
    return size
  }

  private func next(
    _ raw: UnsafeRawBufferPointer, after start: Int, salt: UInt32?, offset: Int, budget: inout Int
  ) -> Int {
    var position = start + 8
    while position + JournalRecord.headerSize <= raw.count && budget > 0 {
      let cost = JournalRecord.checkCost(raw, at: position, salt: salt)
      budget -= cost
      if cost > 0, JournalRecord.check(raw, at: position, salt: salt, offset: offset) != nil {
        return position
      }
      position += 8
    }
    return raw.count
  }
}
