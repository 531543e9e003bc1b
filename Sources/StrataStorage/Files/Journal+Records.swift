import CStrata
import Synchronization

/// Making room for records, and reading them.
extension Journal {
  /// Whether a record with `payload` bytes of change set fits behind `length`.
  func hasRoom(for payload: Int, at length: Int) -> Bool {
    length + JournalRecord.size(payload: payload) <= knownSize
  }

  /// Makes the file large enough for such a record, on the disk too, before anything is written
  /// through the mapping: a full disk is an error here, but would be a signal there.
  ///
  /// Throws `SystemCode.cutOff` if somebody has cut it off.
  func makeRoom(
    for payload: Int, at length: Int, on disk: any FileSystem
  ) throws(StorageError) {
    let known = max(knownSize, length)
    knownSize = try disk.status(of: file).size
    guard knownSize >= known else {
      throw StorageError(.allocate, path, code: SystemCode.cutOff)
    }
    let needed = length + JournalRecord.size(payload: payload)
    guard needed > knownSize else { return }
    guard needed <= mapping.count else {
      throw StorageError(
        .set, path, reason: "a change set cannot exceed \(mapping.count - length) bytes")
    }
    var size = comfortableSize(for: needed)
    // Who makes each set durable needs a page to be synced, and who only sets needs room soon.
    // Ordering: a guess from a number that nothing is behind.
    let unsynced = length - Int(clamping: syncedLength.pointee.load(ordering: .relaxed))
    let isDurable = unsynced < JournalLayout.growthMin
    let piece = isDurable ? JournalLayout.pageSize : JournalLayout.growthMin
    do throws(StorageError) {
      try disk.extend(file, from: knownSize, to: size, inPiecesOf: piece)
    } catch {
      // On a disk that is nearly full, no more than is needed.
      let least = min(needed.roundedUp(to: JournalLayout.pageSize), mapping.count)
      guard error.isOfNoRoom, least < size else { throw error }
      size = least
      try disk.extend(file, from: knownSize, to: size, inPiecesOf: piece)
    }
    knownSize = size
  }

  private func comfortableSize(for needed: Int) -> Int {
    if needed <= JournalLayout.initialSize { return JournalLayout.initialSize }
    let comfortable = min(2 * knownSize, knownSize + JournalLayout.growthMax)
    return min(max(needed, comfortable).roundedUp(to: JournalLayout.growthMin), mapping.count)
  }

  /// Makes the file longer than that of an idle journal, before it is anything else. Does nothing
  /// if it is destroyed.
  func leaveIdleness() throws(StorageError) {
    guard knownSize <= JournalLayout.idleSize, state.isSound, !mapping.isLost else { return }
    do throws(StorageError) {
      try makeRoom(for: 8, at: JournalLayout.recordsStart, on: disk)
    } catch {
      if error.code != SystemCode.cutOff { throw error }
    }
  }

  /// The same, on the disk too, before another journal takes its place: if a power cut brought back
  /// this one's name and its idle length, the first read would not find the other one, and the next
  /// would. Where the disk refuses that, it is only noted: to get rid of such a journal matters
  /// more.
  // Ordering: with a stale length the kernel is asked once too often.
  func leaveIdlenessForGood() throws(StorageError) {
    try leaveIdleness()
    let syncedLength = Int(clamping: syncedLength.pointee.load(ordering: .relaxed))
    let isDurable =
      max(syncedLength, ownSyncedLength.load(ordering: .relaxed)) > JournalLayout.recordsStart
    if isDurable || hasFailed || !state.isSound || mapping.isLost { return }
    do throws(StorageError) {
      try makeDurable { () throws(StorageError) in
        try disk.synchronize(file)  // Durability: the length
      }
    } catch {}  // `makeDurable` has noted it
  }

  /// Whether the file is at least that long, as far as this process knows.
  func isWhole(upTo end: Int) -> Bool { end <= min(knownSize, mapping.count) }

  /// How much of the file exists, up to `end`. If that can't be asked, all of it is taken to exist:
  /// the mapping notices when it is read past the end of the file.
  func size(upTo end: Int) -> Int {
    if isWhole(upTo: end) { return end }
    do { knownSize = try disk.status(of: file).size } catch { return min(end, mapping.count) }
    return min(end, knownSize, mapping.count)
  }

  /// The change sets between two lengths.
  /// - Parameters:
  ///   - size: the known length of the file.
  ///   - unsound: what an unsound record means.
  // Ordering: the caller acquired the word, and with it all bytes up to `end`; the durable length
  // only grows, and an older one is as true.
  func scan(
    from start: Int, to end: Int, ofAtMost size: Int, unsound: JournalScan.Unsound
  ) -> JournalScan {
    let known = min(end, size, mapping.count)
    guard start < known else { return JournalScan(of: header, missing: start < end) }
    return JournalScan(
      bytes(start..<known), offset: start, of: header,
      soundEnd: Int(clamping: syncedLength.pointee.load(ordering: .relaxed)),
      unsound: unsound, missing: known < end)
  }

  /// A private copy of committed bytes, which nobody can change between a check and their use.
  func bytes(_ range: Range<Int>) -> [UInt8] { mapping.bytes(range) }

  /// The intent: what a checkpoint has announced, if its checksum is right.
  var intent: CheckpointIntent? {
    guard let words = checkedWords(at: JournalLayout.intent), let covers = Int(exactly: words.2)
    else { return nil }
    return CheckpointIntent(
      identity: PlistIdentity(
        size: words.0, checksum: UInt32(truncatingIfNeeded: words.1)),
      covers: covers, draft: PlistDraft.Number(rawValue: UInt32(words.1 >> 32)))
  }

  /// Announces a checkpoint of what the journal holds, so that it is not idle. Only one process at
  /// a time has the right to do so.
  func announce(_ intent: CheckpointIntent) {
    let bytes = Self.checked(intent)
    (mapping.base + JournalLayout.intent).copyMemory(from: bytes, byteCount: bytes.count)
  }

  /// Which journal this one continues.
  var continuation: JournalContinuation? {
    guard let words = checkedWords(at: JournalLayout.continuation),
      let length = Int(exactly: words.1), let end = Int(exactly: words.2)
    else { return nil }
    return JournalContinuation(id: words.0, length: length, end: end)
  }

  /// What the last process has brought that had lost its journal. Only who has room reserved notes
  /// it.
  var rescue: JournalRescue? {
    guard let words = checkedWords(at: JournalLayout.rescue), let end = Int(exactly: words.2)
    else { return nil }
    return JournalRescue(knowledge: JournalKnowledge(words: (words.0, words.1)), end: end)
  }

  /// Where the record ends by which somebody has brought from a lost journal what a file holds,
  /// too; nil if there is none.
  func outdatedEnd(beside held: JournalKnowledge?) -> Int? {
    guard let held, let rescue, rescue.end != 0, held.includes(rescue.knowledge) else { return nil }
    return rescue.end
  }

  /// Whether it is in the place of one that was destroyed, as far as it tells.
  // Ordering: relaxed: who noted it has reserved, as does whoever asks.
  var replacesDestroyed: Bool {
    header.mendedSalt != 0
      || atomic64(JournalLayout.rescue).pointee.load(ordering: .relaxed) != 0
  }

  func note(_ rescue: JournalRescue) {
    let bytes = Self.checked(rescue)
    (mapping.base + JournalLayout.rescue).copyMemory(from: bytes, byteCount: bytes.count)
  }

  private var once: OnceMark? {
    guard let words = checkedWords(at: JournalLayout.once), let start = Int(exactly: words.1) else {
      return nil
    }
    return OnceMark(number: words.0, start: start)
  }

  /// Notes which change set the next record will be. Only who has room reserved there may do so.
  func note(_ once: OnceMark) {
    let bytes = Self.checked(once)
    (mapping.base + JournalLayout.once).copyMemory(from: bytes, byteCount: bytes.count)
  }

  /// The number of the change set that was made last of those that are made only once; nil if its
  /// record did not come to count. Nobody may have room reserved but this process.
  var onceMade: UInt64? {
    guard let once else { return nil }
    if once.start == 0 { return once.number }
    guard once.start >= JournalLayout.recordsStart, once.start % 8 == 0, once.start < length else {
      return nil
    }
    // Ordering: relaxed: a mark before the committed length, which was acquired, never changes.
    let bits = atomic32(once.start).pointee.load(ordering: .relaxed)
    let mark = JournalMark(UInt32(littleEndian: bits), salt: header.salt)
    return mark == .committed ? once.number : nil
  }

  /// The same of a journal from before a restart: a power cut may have left the record's first
  /// bytes without the rest of it, or without the record that it followed.
  // Ordering: relaxed, as above; nobody appends any more.
  var onceMadeBeforeRestart: UInt64? {
    guard let once else { return nil }
    if once.start == 0 { return once.number }
    let size = size(upTo: mapping.count)
    guard once.start % 8 == 0, once.start <= size - JournalRecord.headerSize else { return nil }
    let payload = UInt32(littleEndian: atomic32(once.start + 12).pointee.load(ordering: .relaxed))
    let scan = scan(
      from: JournalLayout.recordsStart, to: size, ofAtMost: size, unsound: .end)
    let end = once.start + JournalRecord.size(payload: Int(payload))
    return scan.ends.contains(end) ? once.number : nil
  }

  static func checked(_ rescue: JournalRescue) -> [UInt8] {
    let words = rescue.knowledge.words
    return checked(words.0, words.1, UInt64(rescue.end))
  }

  static func checked(_ once: OnceMark) -> [UInt8] {
    checked(once.number, UInt64(once.start), 0)
  }

  static func checked(_ intent: CheckpointIntent) -> [UInt8] {
    checked(
      intent.identity.size,
      UInt64(intent.identity.checksum) | UInt64(intent.draft.rawValue) << 32,
      UInt64(intent.covers))
  }

  static func checked(_ continuation: JournalContinuation) -> [UInt8] {
    checked(continuation.id, UInt64(continuation.length), UInt64(continuation.end))
  }

  /// Three words and their checksum: 32 bytes.
  private static func checked(_ first: UInt64, _ second: UInt64, _ third: UInt64) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 32)
    bytes.withUnsafeMutableBytes { raw in
      raw.storeBytes(of: first.littleEndian, as: UInt64.self)
      raw.storeBytes(of: second.littleEndian, toByteOffset: 8, as: UInt64.self)
      raw.storeBytes(of: third.littleEndian, toByteOffset: 16, as: UInt64.self)
    }
    let sum = checksum32([UInt8](bytes[..<24]))
    bytes.withUnsafeMutableBytes {
      $0.storeBytes(of: sum.littleEndian, toByteOffset: 24, as: UInt32.self)
    }
    return bytes
  }

  private func checkedWords(at offset: Int) -> (UInt64, UInt64, UInt64)? {
    // Safety: every offset lies within the 32 bytes.
    mapping.withCopy(of: offset..<offset + 32) { raw in
      let sum = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 24, as: UInt32.self))
      guard sum != 0, sum == strata_crc32c(0, raw.baseAddress, 24) else { return nil }
      func word(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      }
      return (word(0), word(8), word(16))
    }
  }
}

/// The moments of an append between which a process can die, for tests.
package enum AppendStep: Sendable {
  case reserved, written, sealed, marked, committed
}

extension Int {
  func roundedUp(to unit: Int) -> Int { (self + unit - 1) / unit * unit }
}
