import CStrata
import Synchronization

/// The small file beside a plist file that holds the changes not yet in it. Every process that uses
/// the domain maps it.
///
/// A journal only grows. What is committed never changes, so that anyone may read it without a
/// lock. When a checkpoint or an edit by hand makes its records superfluous, a new journal takes
/// its name, and this one is *retired*: it keeps its records for those who have yet to read them.
final class Journal: @unchecked Sendable {
  // Safety: constants, an atomic, variables that the store's lock guards, and mapped bytes, which
  // the journal's protocol guards (see `Journal+Appending.swift`).
  let path: String
  let file: FileID
  let header: JournalHeader
  let mapping: Mapping
  let isWritable: Bool
  /// The file's status when it was opened, which tells this file from others of its name.
  let status: FileStatus
  // Safety: guarded by the store's lock. How much of the file is known to exist.
  var knownSize: Int
  /// The checksum of the record that the next one follows; 0 if all records before are durable, or
  /// if it is not known: see `resume`.
  private(set) var lastSum: UInt32 = 0
  /// The length up to which this process has made the file durable.
  let ownSyncedLength = Atomic<Int>(0)
  /// Whether it is not known that it was made since the machine was started.
  var mayBeOfEarlierBoot = false
  /// Whether this process has moved the epoch, for processes that know of no journal.
  var hasMovedEpoch = false
  /// The number of forks when its store was counted among the watchers: a child's is not counted.
  var watchingForks: UInt32?
  /// The number of a successor that is named but missing, since somebody has removed it; or 0.
  var danglingSuccessor: UInt64 = 0
  /// When to write the property list if others may have something to bring; 0 until that is asked.
  var settlesAt: Int64 = 0
  /// Whether a record was found damaged: the file is kept when another one takes its place.
  var isDamaged = false

  let disk: any FileSystem

  /// - Parameter opened: its status and mapping, if they are known already.
  init(
    path: String, file: FileID, header: JournalHeader, isWritable: Bool,
    opened: (status: FileStatus, mapping: Mapping)? = nil, on disk: any FileSystem
  ) throws(StorageError) {
    self.path = path
    self.file = file
    self.header = header
    self.isWritable = isWritable
    self.disk = disk
    do throws(StorageError) {
      if let opened {
        (status, mapping) = opened
      } else {
        status = try disk.status(of: file)
        mapping = try Self.map(file, writable: isWritable, on: disk)
      }
    } catch {
      disk.close(file)
      throw error
    }
    knownSize = status.size
  }

  deinit { disk.close(file) }

  static func map(
    _ file: FileID, writable: Bool, on disk: any FileSystem
  ) throws(StorageError) -> Mapping {
    try disk.map(file, count: disk.journalSizeMax, writable: writable)
  }

  static let sizeMax = 256 << 20
  /// The maximum size of a change set in bytes.
  static let changeSetSizeMax = sizeMax / 2

  var word: UnsafeMutablePointer<Atomic<UInt64>> { atomic64(JournalLayout.word) }
  var watchers: UnsafeMutablePointer<Atomic<UInt32>> { atomic32(JournalLayout.watchers) }
  private var linked: UnsafeMutablePointer<Atomic<UInt32>> { atomic32(JournalLayout.linked) }
  private var located: UnsafeMutablePointer<Atomic<UInt32>> { atomic32(JournalLayout.located) }
  private var failed: UnsafeMutablePointer<Atomic<UInt32>> { atomic32(JournalLayout.failed) }
  private var lastDraft: UnsafeMutablePointer<Atomic<UInt32>> {
    atomic32(JournalLayout.plistDraft)
  }
  private var drafts: UnsafeMutablePointer<Atomic<UInt64>> { atomic64(JournalLayout.drafts) }

  // Ordering, of the numbers below: each is a process's word to the others about what it has done
  // to files, which the kernel keeps in order; releasing and acquiring keep it in order with the
  // journal's bytes. A number that only has to differ from others is relaxed.

  /// A number for a draft of this journal's successor that no other draft had or will have: whoever
  /// gives a published journal its name late finds nothing under that number.
  func nextDraftNumber() -> UInt64 {
    guard isWritable else { return danglingSuccessor &+ 1 }
    drafts.pointee.max(danglingSuccessor, ordering: .relaxed)
    return drafts.pointee.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Which draft of the plist file may lie beside that. Only a process that has the right to write
  /// the plist file changes it.
  var plistDraft: PlistDraft.Number {
    get { PlistDraft.Number(rawValue: lastDraft.pointee.load(ordering: .acquiring)) }
    set { lastDraft.pointee.store(newValue.rawValue, ordering: .releasing) }
  }

  /// Whether this journal's name, and the directories' names that lead to it, are known to be on
  /// the disk.
  var isNameDurable: Bool {
    get { linked.pointee.load(ordering: .acquiring) != 0 }
    set { linked.pointee.store(newValue ? 1 : 0, ordering: .releasing) }
  }

  /// Whether the directories' names are: a journal that takes this one's place is found there, too.
  var areDirectoriesDurable: Bool {
    get { located.pointee.load(ordering: .acquiring) != 0 }
    set { located.pointee.store(newValue ? 1 : 0, ordering: .releasing) }
  }

  /// Whether making it durable has failed once. The kernel may then take what it failed to write
  /// for written, so a later success would prove nothing, to no process.
  var hasFailed: Bool { failed.pointee.load(ordering: .acquiring) != 0 }

  /// Makes the journal durable; notes a failure in it, for all processes.
  func makeDurable(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    do throws(StorageError) {
      try body()
    } catch {
      failed.pointee.store(1, ordering: .releasing)
      throw error
    }
  }

  /// The process that is writing the plist file; 0 when none is.
  // Ordering: a number for a message.
  var writer: UInt32 { writerWord.pointee.load(ordering: .relaxed) }
  private var writerWord: UnsafeMutablePointer<Atomic<UInt32>> { atomic32(JournalLayout.writer) }

  func beginWriting() {
    if isWritable { writerWord.pointee.store(ProcessEvents.processID, ordering: .relaxed) }
  }

  func endWriting() {
    guard isWritable else { return }
    _ = writerWord.pointee.compareExchange(
      expected: ProcessEvents.processID, desired: 0, ordering: .relaxed)
  }

  var successor: UnsafeMutablePointer<Atomic<UInt64>> { atomic64(JournalLayout.successor) }
  var syncedLength: UnsafeMutablePointer<Atomic<UInt64>> {
    atomic64(JournalLayout.syncedLength)
  }

  /// Whether processes other than this one want to be woken.
  // Ordering: looked at after the word has moved, both sequentially consistent: see
  // `Store.countWatcher`.
  var hasOtherWatchers: Bool {
    let own: UInt32 = watchingForks == ProcessEvents.forks ? 1 : 0
    return watchers.pointee.load(ordering: .sequentiallyConsistent) > own
  }

  // Ordering: acquires all records up to the word's length.
  var state: JournalWord { JournalWord(rawValue: word.pointee.load(ordering: .acquiring)) }

  var broughtTo: UnsafeMutablePointer<Atomic<UInt64>> { atomic64(JournalLayout.broughtTo) }

  /// Whether it was cut off or overwritten. To be asked after its records were read: else what they
  /// seem to be would pass for what they are.
  var isDestroyed: Bool {
    // Ordering: no read of a record may come after this look.
    atomicMemoryFence(ordering: .acquiring)
    return mapping.isLost || !state.isSound
  }

  /// Whether it holds no record, in whichever boot of the machine it was made, and nothing is under
  /// way. After a restart there may be sound records past the length, each of which follows the one
  /// before it.
  var holdsNothing: Bool {
    let word = state
    guard word.isSound, word.key == JournalWord.key(length: JournalLayout.recordsStart),
      word.reserved == 0, header.boot.isKnown, !hasFailed, intent == nil
    else { return false }
    // Ordering: at the place of the first record's mark; what is behind that is not looked at.
    return knownSize <= JournalLayout.recordsStart
      || atomic64(JournalLayout.recordsStart).pointee.load(ordering: .relaxed) == 0
  }

  /// Whether it names a successor that is not known to be missing.
  var isSucceeded: Bool {
    let number = successor.pointee.load(ordering: .acquiring)
    let state = state
    return state.isSound && state.isRetired && number != 0 && number != danglingSuccessor
  }

  /// Whether all that this journal held is in `other`, or was until others changed it. Journals
  /// that continue one another share a lineage; a copy of a file that somebody made continues
  /// nothing.
  func isContinued(by other: Journal) -> Bool {
    let lineage = other.header.lineage
    // One that is destroyed does not say any more that it is succeeded.
    let isLater = other.header.generation > header.generation
    return lineage == header.lineage && (isSucceeded || isLater)
      || lineage == broughtTo.pointee.load(ordering: .acquiring)
  }

  /// The committed length.
  var length: Int { state.length }

  /// The next record follows the last one that was read from this journal.
  func resume(after scan: JournalScan) {
    lastSum = scan.journal == header.id ? scan.lastSum ?? 0 : 0
  }

  /// The next record follows this one, which this process wrote.
  func resume(after sum: UInt32) { lastSum = sum }

  func atomic64(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    (mapping.base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  func atomic32(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
    (mapping.base + offset).assumingMemoryBound(to: Atomic<UInt32>.self)
  }
}

extension FileSystem {
  var journalSizeMax: Int { Journal.sizeMax }
}
