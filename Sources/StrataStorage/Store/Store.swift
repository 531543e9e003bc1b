package import StrataPropertyList
import Synchronization

/// One domain on disk: its values, the same for every thread and process at every moment.
///
/// ```swift
/// let store = Store.open(StorePaths(identifier: "com.example.app", in: directory))
/// try store.set(.boolean(true), forKey: "ShowLineNumbers")
/// store.boolean(forKey: "ShowLineNumbers")  // true, here and in every other process
/// ```
///
/// A `set` that returned is seen by everyone and survives the death of the process; after
/// `synchronize()` returned true it survives a power cut too. About a second later the values are
/// in the property list, which is an ordinary one, and which anyone may edit.
public final class Store: @unchecked Sendable {
  // Safety: constants, atomics, the table (which says itself how it is shared), and state under
  // `lock`.

  /// Where the domain's files are.
  public let paths: StorePaths

  let process: StorageProcess
  let rules: StoreRules
  let lock = Lock(.store)
  let names: JournalNames
  let directories: DomainDirectories
  /// The values, which anyone may read.
  let table: Table
  /// Says that the files may have been changed from outside.
  let hint = ChangeHint()
  /// Whether the domain held more than its limit when it was last asked.
  let wasLarge = Atomic<Bool>(false)

  // -- Guarded by `lock`: what is open

  /// Whether the files are open.
  var phase = Phase.closed
  /// Tells whether the parts below are the parent's.
  var forks = ProcessEvents.forks
  /// The same values, with what is still to be read of them.
  let content: DomainValues
  /// What all processes share; nil where none can be had, as in a directory of someone else's.
  var journal: Journal?
  /// Whether it could not be opened, for a reason that may be over at any moment.
  var isJournalUnknown = false
  /// Stand in for the journal's word while there is no journal: the second where no epoch can be
  /// shared.
  var epoch: JournalEpoch?
  let localWord = LocalWord()
  /// What keeps the word alive that the table follows.
  var wordOwner: AnyObject?
  /// The property list as its content was last known.
  var plist = KnownPlist()
  /// This process among the writers; nil until it writes.
  var lockOwner: LockOwner?

  // -- Guarded by `lock`: what is set here

  var appending = Appending.allowed
  /// Whether another journal is being found in the place of one that was lost.
  var isRecovering = false
  /// What could not be stored yet.
  var unsaved = UnsavedChanges()
  var flushSchedule = FlushSchedule()
  var checkpointTurn = CheckpointTurn.none
  /// The file of a checkpoint that was waited for to give an edit its name back.
  var awaited: FileStatus?

  // -- Guarded by `lock`: what others change

  var feed: Feed
  /// Whether the feed tells of all that may concern the domain.
  var isSubscribed = false
  /// Whether the watcher does not know yet where a link in the plist file's place leads.
  var hasNewLink = false
  var watches = WatchList()

  // -- Guarded by `lock`: what a person should know

  var issueList = IssueList()

  /// For tests: what happens at each step of an append.
  package var step: ((AppendStep) -> Void)?

  enum Phase {
    /// Nothing was asked of the domain yet.
    case closed
    case open
    /// The files were given back: see `rest`.
    case resting
  }

  /// Where what is set goes.
  enum Appending {
    /// Into the journal.
    case allowed
    /// Nowhere but into memory: the files are not trusted, or the journal stands on another file
    /// than the property list that is there.
    case refused
    /// Nowhere but into memory: the journal is of no use, for this reason, and none can be had in
    /// its place.
    case lost(String)

    /// What is lost stays lost until another journal is found.
    mutating func refuse() { if case .allowed = self { self = .refused } }
  }

  /// This process's right to write the plist file, which one process at a time has.
  enum CheckpointTurn {
    case none
    /// Has it; nothing is announced.
    case held
    /// A checkpoint is under way, on some thread.
    case writing
  }

  init(at paths: StorePaths, in process: StorageProcess, rules: StoreRules = StoreRules()) {
    self.paths = paths
    self.process = process
    self.rules = rules
    names = JournalNames(paths: paths, disk: process.disk)
    directories = DomainDirectories(paths, on: process.disk)
    feed = process.feed
    table = Table(word: localWord.pointer)
    content = DomainValues(table)
  }

  /// The domain with these files; one object for each domain in a process.
  ///
  /// Never fails: what stands in the way is told by `issues`.
  public static func open(_ paths: StorePaths) -> Store {
    StorageProcess.current.store(at: paths)
  }

  /// The same with rules, which count for the first that opens it.
  package static func open(_ paths: StorePaths, _ rules: StoreRules) -> Store {
    StorageProcess.current.store(at: paths, rules: rules)
  }

  /// What a property list that is nobody's domain holds; nothing where there is none that can be
  /// read.
  package static func values(ofPlist path: String) -> [String: PropertyListValue] {
    PlistFile(path: path, disk: SystemFileSystem()).read().values
  }

  var disk: any FileSystem { process.disk }
  var plistFile: PlistFile { names.plistFile }

  @inline(__always)
  var canAppend: Bool { if case .allowed = appending { true } else { false } }

  /// Why the journal is of no use, as long as none can be had in its place.
  var loss: String? { if case .lost(let reason) = appending { reason } else { nil } }

  // -- Around a fork

  /// Whether everything here is known and is this process's own.
  @inline(__always)
  var isReady: Bool { phase == .open && forks == ProcessEvents.forks }

  /// In a child: threads, kernel locks and watches are the parent's. The lock must be held.
  func forgetParent() {
    forks = ProcessEvents.forks
    lockOwner = nil
    flushSchedule.isScheduled = false
    checkpointTurn = .none
    table.unpinAll()
    watches.removeAll()
    isSubscribed = false
  }
}
