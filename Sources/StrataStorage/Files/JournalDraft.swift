import CStrata

/// A journal that is being made, in a file of its own that nobody else knows.
///
/// Its name says which journal it is to continue, and a number distinguishes it from other drafts
/// for that one. No number is ever used twice: otherwise a process that is late to name its draft
/// could name a newer one instead. The continued journal says which draft is its successor
/// (`Journal.publish`), so nobody's draft can take the place of another's, however late its maker
/// wakes up.
final class JournalDraft {
  let path: String
  /// Which of the drafts it is: 1 and up.
  let number: UInt64
  private(set) var header: JournalHeader
  /// The end of the last record.
  private(set) var end = JournalLayout.recordsStart
  /// Where each change set's record ends.
  private(set) var ends: [Int] = []
  /// How much of it is durable.
  private(set) var durableEnd = 0
  /// Which draft of the plist file may lie beside that.
  var plistDraft = PlistDraft.Number.unknown
  /// The process that is writing that.
  var writer: UInt32 = 0
  /// Whether the names of the directories that lead to it are on the disk.
  var areDirectoriesDurable = false
  /// The number of the change set that is not to be made again.
  var onceMade: UInt64?
  /// What was brought here from a lost journal, or is to be.
  var rescue: JournalRescue?
  private var sum: UInt32 = 0
  private var size = 0
  private let file: FileID
  private let disk: any FileSystem
  private var isTaken = false

  private static let numbersMax: UInt64 = 64

  /// - Parameters:
  ///   - stem: the path without the number.
  ///   - nextNumber: gives another number at each call.
  ///   - mode: the mode of the file.
  init(
    _ header: JournalHeader, at stem: String, numbered nextNumber: () -> UInt64,
    mode: UInt32, owner: FileOwner?, on disk: any FileSystem
  ) throws(StorageError) {
    self.header = header
    self.disk = disk
    (path, number, file) = try Self.create(stem, nextNumber, mode, disk)
    do throws(StorageError) {
      try disk.setAttributes(file, mode: mode, owner: owner)
    } catch {
      disk.close(file)
      try disk.remove(path)
      throw error
    }
  }

  deinit { if !isTaken { disk.close(file) } }

  /// Tries several numbers, since processes that died may have left their drafts.
  private static func create(
    _ stem: String, _ nextNumber: () -> UInt64, _ mode: UInt32, _ disk: any FileSystem
  ) throws(StorageError) -> (String, UInt64, FileID) {
    var tries = 0
    while true {
      let number = nextNumber()
      let path = Self.path(stem, number)
      do throws(StorageError) {
        return (path, number, try disk.open(path, .create(mode: mode)))
      } catch {
        tries += 1
        guard error.code == SystemCode.exists, tries < numbersMax else { throw error }
      }
    }
  }

  static func path(_ stem: String, _ number: UInt64) -> String { "\(stem).\(number)" }

  /// Says which of the records are older than a base that can't be read.
  func note(_ former: FormerRecords?) { header.former = former }

  /// Appends records.
  func append(_ changeSets: [ChangeSet]) throws(StorageError) {
    var records: [UInt8] = []
    for changes in changeSets {
      let record = JournalRecord.bytes(
        changes, salt: header.salt, previous: sum, offset: end + records.count)
      records += record.bytes
      sum = record.sum
      ends.append(end + records.count)
    }
    try write(records)
  }

  /// Appends the records of a stretch of another journal, as they are stored there, but for the one
  /// that ends there.
  func append(_ scan: JournalScan, except outdatedEnd: Int? = nil) throws(StorageError) {
    let numbers = (0..<scan.count).filter { scan.ends[$0] != outdatedEnd }
    var records: [UInt8] = []
    scan.withPayloads { payload in records = self.records(numbers.count) { payload(numbers[$0]) } }
    try write(records)
  }

  /// Appends change sets as they are stored.
  func append(stored changeSets: [[UInt8]]) throws(StorageError) {
    for changes in changeSets {
      try write(changes.withUnsafeBytes { bytes in records(1) { _ in bytes } })
    }
  }

  // Safety: each record has the room that was added up for it.
  private func records(_ number: Int, _ payload: (Int) -> UnsafeRawBufferPointer) -> [UInt8] {
    let size = (0..<number).reduce(0) { $0 + JournalRecord.size(payload: payload($1).count) }
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      guard let start = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
      for index in 0..<number {
        let payload = payload(index)
        sum = JournalRecord.copy(
          payload, to: start + count, salt: header.salt, previous: sum, offset: end + count)
        count += JournalRecord.size(payload: payload.count)
        ends.append(end + count)
      }
    }
  }

  private func write(_ records: [UInt8]) throws(StorageError) {
    try makeRoom(upTo: end + records.count)
    if !records.isEmpty { try disk.write(records, to: file, at: end) }
    end += records.count
  }

  private func makeRoom(upTo needed: Int) throws(StorageError) {
    guard needed > size || size == 0 else { return }
    let unit = JournalLayout.initialSize
    let isIdle = needed == JournalLayout.recordsStart
    let comfortable = needed <= unit ? unit : (needed + unit / 2).roundedUp(to: unit)
    let new = min(isIdle ? JournalLayout.idleSize : comfortable, disk.journalSizeMax)
    guard needed <= new else {
      throw StorageError(.write, path, reason: "the pending values do not fit into a journal")
    }
    try disk.allocate(file, size..<new)
    size = new
  }

  /// Writes the first page, and makes everything in the file durable.
  func synchronize(
    announcing intent: CheckpointIntent? = nil, continuing: JournalContinuation? = nil
  ) throws(StorageError) {
    durableEnd = end
    try writeHead(announcing: intent, continuing: continuing)
    try disk.synchronize(file)  // Durability: content before name
  }

  func writeHead(
    announcing intent: CheckpointIntent?, continuing: JournalContinuation?
  ) throws(StorageError) {
    try makeRoom(upTo: intent == nil ? end : max(end, JournalLayout.idleSize + 1))
    var page = header.bytes
    page += [UInt8](repeating: 0, count: JournalLayout.recordsStart - page.count)
    Self.put(JournalWord(length: end).rawValue, at: JournalLayout.word, in: &page)
    Self.put(UInt64(durableEnd), at: JournalLayout.syncedLength, in: &page)
    Self.put(UInt64(writer), at: JournalLayout.writer, in: &page)
    Self.put(UInt64(plistDraft.rawValue), at: JournalLayout.plistDraft, in: &page)
    page[JournalLayout.located] = areDirectoriesDurable ? 1 : 0
    if let intent {
      page.replaceSubrange(
        JournalLayout.intent..<JournalLayout.intent + 32, with: Journal.checked(intent))
    }
    if let onceMade {
      page.replaceSubrange(
        JournalLayout.once..<JournalLayout.once + 32,
        with: Journal.checked(OnceMark(number: onceMade, start: 0)))
    }
    if let rescue {
      page.replaceSubrange(
        JournalLayout.rescue..<JournalLayout.rescue + 32, with: Journal.checked(rescue))
    }
    if let continuing {
      page.replaceSubrange(
        JournalLayout.continuation..<JournalLayout.continuation + 32,
        with: Journal.checked(continuing))
    }
    try disk.write(page, to: file, at: 0)
  }

  private static func put(_ word: UInt64, at offset: Int, in page: inout [UInt8]) {
    for index in 0..<8 { page[offset + index] = UInt8(truncatingIfNeeded: word >> (8 * index)) }
  }

  /// The journal itself, once everything is written.
  func journal(named path: String) throws(StorageError) -> Journal {
    isTaken = true
    let journal = try Journal(
      path: path, file: file, header: header, isWritable: true, on: disk)
    journal.resume(after: sum)
    return journal
  }

  /// Removes the draft, which is not needed after all.
  func discard() throws(StorageError) { try disk.remove(path) }

  /// Removes a draft's name that this journal still has beside its own, since its maker died before
  /// removing it.
  static func sweep(
    _ stem: String, of journal: FileStatus, on disk: any FileSystem
  ) throws(StorageError) {
    for number in 1...numbersMax {
      let path = path(stem, number)
      if let found = try disk.status(of: path), found.isSameFile(as: journal) {
        try disk.remove(path)
      }
    }
  }

  /// Removes drafts of processes that died while making a domain's first journal, which has long
  /// been there by now.
  static func sweep(_ stem: String, on disk: any FileSystem) throws(StorageError) {
    var number: UInt64 = 1
    while number <= numbersMax, try disk.status(of: path(stem, number)) != nil {
      try disk.remove(path(stem, number))
      number += 1
    }
  }

  /// Removes drafts of processes that died while making the same journal.
  static func sweep(_ stem: String, below number: UInt64, on disk: any FileSystem)
    throws(StorageError)
  {
    let first = number > numbersMax ? number - numbersMax : 1
    for number in first..<max(first, number) { try disk.remove(path(stem, number)) }
  }
}
