/// The change sets that a stretch of a journal holds, as far as its bytes are sound. They are made
/// of the bytes when somebody asks: a long stretch has millions.
// An object: what is handed on together with others in a struct is copied and destroyed by types
// that the runtime has to make in each process.
final class JournalScan: Sendable {
  /// The id of the journal; nil when its header is damaged.
  let journal: UInt64?
  /// The stretch, as it was when it was checked.
  private let bytes: [UInt8]
  /// Where in the stretch each change set's record begins.
  private let starts: [Int]
  /// Where in the journal each change set's record ends.
  let ends: [Int]
  /// The number of stretches without a sound record, although sound ones follow or were expected.
  let damagedCount: Int
  /// The checksum of the last record; nil if it is not known, as after damage.
  let lastSum: UInt32?
  /// The salt of these records, the lower half of their journal's id; nil if the header is damaged
  /// and there is no record.
  let salt: UInt32?

  /// Fewer bytes hold neither a record nor a void mark.
  private static let sizeMin = 8

  /// What an unsound record means.
  enum Unsound: Sendable {
    /// The record was acknowledged: its bytes were damaged, and what follows still counts.
    case damage
    /// The machine stopped before it was on the disk: neither it nor anything after it counts.
    case end
  }

  /// No change sets; `missing` says that there should have been some.
  init(of journal: JournalHeader, missing: Bool = false) {
    self.journal = journal.id
    bytes = []
    starts = []
    ends = []
    damagedCount = missing ? 1 : 0
    lastSum = nil
    salt = nil
  }

  /// - Parameters:
  ///   - bytes: a private copy of the stretch, so that nobody changes it between check and use.
  ///   - offset: where in the journal the stretch begins.
  ///   - journal: the header; nil if it is damaged, and the records of any journal will do.
  ///   - missing: whether the stretch should have been longer.
  ///   - soundEnd: up to here an unsound record is damage, whatever `unsound` says.
  init(
    _ bytes: [UInt8], offset: Int, of journal: JournalHeader?, soundEnd: Int = 0,
    unsound: Unsound = .damage, missing: Bool = false
  ) {
    var starts: [Int] = []
    var ends: [Int] = []
    var damagedCount = missing ? 1 : 0
    var lastSum: UInt32?
    var salt = journal?.salt
    // Safety: eight bytes or more are left at each position that is read; `check` and `next` see to
    // it that a record's header fits where they read one.
    bytes.withUnsafeBytes { raw in
      var position = 0
      // How many more bytes may be checked in vain, so that no content takes quadratic time.
      var budget = 8 * bytes.count + 1 << 20
      while position + Self.sizeMin <= raw.count {
        let mayEnd = unsound == .end && offset + position >= soundEnd
        if let record = JournalRecord.check(raw, at: position, salt: salt, offset: offset),
          !mayEnd || record.follows(lastSum)
        {
          var reader = RecordReader(record.payload)
          if reader.skip() {
            starts.append(position)
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
        position = Self.next(raw, after: position, salt: salt, offset: offset, budget: &budget)
      }
    }
    self.journal = journal?.id
    self.bytes = bytes
    self.starts = starts
    self.ends = ends
    self.damagedCount = damagedCount
    self.lastSum = lastSum
    self.salt = salt
  }

  var count: Int { starts.count }

  /// All of them at once, each of which takes several times the memory of its record.
  func allChanges() -> [ChangeSet] { starts.indices.map { changes($0) } }

  /// One of them, by its number.
  func changes(_ index: Int) -> ChangeSet {
    withReader(index) { $0.changes() } ?? ChangeSet([])
  }

  /// The edits of one of them, by its number.
  func forEachEdit(_ index: Int, _ body: (RecordReader.Edit) -> Void) {
    withReader(index) { reader in
      while let edit = reader.isAtEnd ? nil : reader.next() { body(edit) }
    }
  }

  /// What the edits of one of them do, and to which keys.
  func forEachTarget(_ index: Int, _ body: (RecordReader.Target) -> Void) {
    withReader(index) { reader in
      while let target = reader.isAtEnd ? nil : reader.nextTarget() { body(target) }
    }
  }

  /// Lends `body` the stored forms of all of them, by their numbers.
  func withPayloads(_ body: ((Int) -> UnsafeRawBufferPointer) -> Void) {
    bytes.withUnsafeBytes { raw in body { JournalRecord.payload(of: raw, at: starts[$0]) } }
  }

  // Safety: the record lies within the bytes, which was checked, and nobody can change them.
  @inline(__always)
  private func withReader<Result>(_ index: Int, _ body: (inout RecordReader) -> Result) -> Result {
    bytes.withUnsafeBytes { raw in
      var reader = RecordReader(JournalRecord.payload(of: raw, at: starts[index]))
      return body(&reader)
    }
  }

  /// How many bytes are void there; nil if they are not.
  private static func voidSize(
    _ raw: UnsafeRawBufferPointer, at position: Int, salt: UInt32
  ) -> Int? {
    let bits = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: position, as: UInt32.self))
    guard case .void(let size) = JournalMark(bits, salt: salt), size <= raw.count - position else {
      return nil
    }
    return size
  }

  private static func next(
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
