package import StrataPropertyList
import Synchronization

/// One domain on disk, with the same values for every thread and process at every moment.
///
/// ```swift
/// let store = Store.open(StorePaths(identifier: "com.example.app", in: directory))
/// try store.set(.boolean(true), forKey: "ShowLineNumbers")
/// store.boolean(forKey: "ShowLineNumbers")  // true, here and in every other process
/// ```
///
/// Once `set` returns, everyone sees the value, and it survives the death of the process; once
/// `synchronize()` returns true, it survives a power cut, too. About a second later the values are
/// in the property list, an ordinary one that anyone may edit.
public final class Store: @unchecked Sendable {
  // Safety: constants, atomics, the table (which documents how it is shared), and state under
  // `lock`.

  /// Where the domain's files are.
  public let paths: StorePaths

  let process: StorageProcess
  let rules: StoreRules
  let lock = Lock(.store)
  let names: JournalNames
  let directories: DomainDirectories
  /// The values, which any thread may read without the lock.
  let table: Table
  /// Raised when the files may have been changed from outside.
  let hint = ChangeHint()
  /// Whether the domain held more than its limit at the last check.
  let wasLarge = Atomic<Bool>(false)

  // -- Guarded by `lock`: what is open

  /// Whether the files are open.
  var phase = Phase.closed
  /// How many keys were searched for in the property list, before the files were opened.
  var searches = 0
  /// The number of forks when the parts below were made: if it moved, they are the parent's.
  var forks = ProcessEvents.forks
  /// The table, and what has yet to be read into it from the plist file.
  let content: DomainValues
  /// The journal, which all processes share.
  var access = JournalAccess.none
  /// Whether it has appended anything since nothing was pending: then what is pending may be its
  /// own, also in a journal that it may not write to any more.
  var hasAppended = false
  /// The epoch that moves when a journal comes: of the directory or, while there is none, of the
  /// one around it; nil where it can't be shared.
  /// Followed as long as there is no journal.
  var epoch: JournalEpoch?
  /// What the first read left alone, since programs that read one setting and end do not need it.
  /// Until the next read makes up for that, each read takes the lock.
  var postponed = Postponed.nothing
  /// What is known of the property list.
  var plist = KnownPlist()
  /// This process's handle for locking and waking others; nil until it writes.
  var lockOwner: LockOwner?

  // -- Guarded by `lock`: what is set here

  var appending = Appending.allowed
  /// Whether a lost journal is being replaced: see `recover`.
  var isRecovering = false
  /// What could not be stored yet.
  let unsaved = UnsavedChanges()
  var flushSchedule = FlushSchedule()
  var checkpointTurn = CheckpointTurn.none
  /// What is known of a lost journal, while that is brought to the one in its place.
  var bringing: JournalKnowledge?
  /// Why the files are ignored; nil if they are not.
  var distrust: String?
  /// The file that has taken an edit's name, if this process has already waited for its maker to
  /// give that back: it waits once.
  var awaited: FileStatus?

  // -- Guarded by `lock`: what others change

  var feed: Feed
  /// Whether the feed tells of everything that may concern the domain.
  var isSubscribed = false
  /// Whether the watcher has yet to be told where a link in the plist file's place leads.
  var hasNewLink = false
  var watches = WatchList()

  // -- Guarded by `lock`: what a person should know

  var issueList = IssueList()

  /// For tests: called at each step of an append.
  package var step: ((AppendStep) -> Void)? {
    get { appendStep }
    set { appendStep = newValue }
  }
  // Of this module alone, which lets the compiler see that no set needs to check who else uses it.
  var appendStep: ((AppendStep) -> Void)?

  enum Phase {
    /// Nothing was asked of the domain yet.
    case closed
    case open
    /// The files were given back: see `rest`.
    case resting
  }

  enum Postponed {
    case nothing
    /// To look for the epoch: there is no journal.
    case epoch
    /// To open the journal, which was idle when this was read.
    case journal(FirstReading)
  }

  /// Where sets go.
  enum Appending {
    /// Into the journal.
    case allowed
    /// Into memory only: the files are not trusted, or the journal's base is another file than the
    /// property list that is there.
    case refused
    /// Into memory only: the journal is of no use, and none can be had in its place.
    case lost(Loss)

    /// Refuses, unless the journal is lost: it stays lost until another one is found.
    mutating func refuse() { if case .allowed = self { self = .refused } }
  }

  /// How the journal was lost.
  struct Loss {
    let text: String
    /// Up to where this process had read it.
    let known: Int
  }

  /// This process's right to write the plist file, which only one process has at a time.
  enum CheckpointTurn {
    case none
    /// This process has it, and has announced nothing.
    case held
    /// A thread of this process is writing a checkpoint.
    case writing
  }

  init(at paths: StorePaths, in process: StorageProcess, rules: StoreRules = StoreRules()) {
    self.paths = paths
    self.process = process
    self.rules = rules
    names = JournalNames(paths: paths, disk: process.disk)
    directories = DomainDirectories(paths, on: process.disk)
    feed = process.feed
    table = Table()
    content = DomainValues(table)
  }

  /// The store of the domain with these files; there is one object for each domain in a process.
  ///
  /// Never fails: `issues` says what is wrong.
  public static func open(_ paths: StorePaths) -> Store {
    StorageProcess.current.store(at: paths)
  }

  /// The same with rules, which take effect if nobody has opened the domain before.
  package static func open(_ paths: StorePaths, _ rules: StoreRules) -> Store {
    StorageProcess.current.store(at: paths, rules: rules)
  }

  /// The values in a property list that is no domain's; empty if there is none.
  package static func values(
    ofPlist path: String
  ) throws(StorageError) -> [String: PropertyListValue] {
    let reading = PlistFile(path: path, disk: SystemFileSystem()).read()
    if let obstacle = reading.obstacle { throw obstacle }
    return reading.values
  }

  var isEpochPostponed: Bool { if case .epoch = postponed { true } else { false } }
  var isJournalPostponed: Bool { if case .journal = postponed { true } else { false } }

  var disk: any FileSystem { process.disk }
  var plistFile: PlistFile { names.plistFile }

  @inline(__always)
  var journal: Journal? { access.journal }

  @inline(__always)
  var canAppend: Bool { if case .allowed = appending { true } else { false } }

  /// Why the journal is of no use, while no other one can be had.
  var loss: Loss? { if case .lost(let loss) = appending { loss } else { nil } }

  // -- Around a fork

  /// Whether the store is open, and is not the parent's, as in a child of `fork`.
  @inline(__always)
  var isReady: Bool { phase == .open && forks == ProcessEvents.forks }

  /// In a child of `fork`: gives up the parent's threads, kernel locks and watches. The lock must
  /// be held.
  func forgetParent() {
    forks = ProcessEvents.forks
    lockOwner = nil
    flushSchedule.isScheduled = false
    checkpointTurn = .none
    table.unpinAll()
    unsaved.inherit()
    Inheritance.keep(watches)
    watches.removeAll()
    isSubscribed = false
  }
}
