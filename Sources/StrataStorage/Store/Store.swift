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
  // Safety: constants, the table (which says itself how it is shared), and state under `lock`.

  /// Where the domain's files are.
  public let paths: StorePaths

  let process: StorageProcess
  let rules: StoreRules
  let lock = Lock(.store)
  let table: Table
  let hint = ChangeHint()
  let names: JournalNames
  let directories: DomainDirectories
  private let largeness = Atomic<Bool>(false)
  /// Bytes of the plist's content that is not in the table yet; anyone may read it.
  let baseSize = Atomic<Int>(0)

  // -- Guarded by `lock`

  /// What all processes share; nil where none can be had, as in a directory of someone else's.
  var journal: Journal?
  /// This process among the writers; nil until it writes.
  var lockOwner: LockOwner?
  var feed: Feed
  /// Tells whether the parts above are the parent's.
  var forks = ProcessEvents.forks
  var isLoaded = false
  /// Whether its files were given back: see `rest`.
  var isResting = false
  /// The plist file as it was when its content was last known; nil when there was none.
  var plist: FileStatus?
  /// What that content was, for the flush: whether it is kept aside, and the format.
  var plistIsSound = true
  /// Why the file can't be read. It stays as it is for as long, and what it holds is unknown.
  var plistObstacle: StorageError?
  /// Whether the journal could not be opened, for a reason that may be over at any moment.
  var isJournalUnknown = false
  var unsoundSince: Int64 = 0
  var format = PropertyListFormat.binary
  /// The part of the plist's content that is not in the table yet.
  var base: CheckedPlist.Index? {
    didSet { baseSize.store(base?.byteCount ?? 0, ordering: .relaxed) }
  }
  var lookups = 0
  var unsaved = UnsavedChanges()
  var trouble: [StorageIssue] = []
  /// Whether the journal may be added to: not while it stands on another file than the plist.
  var canAppend = true
  /// Whether another journal is being found in the place of one that was lost.
  var isRecovering = false
  /// Why `journal` is of no use, as long as none can be had in its place.
  var loss: String?
  /// When to try again to store what could not be stored.
  var retryAt: Int64 = 0
  /// The journal's length at which the flusher is told not to wait.
  var hurryAt = Store.journalSizeSoft
  var isScheduled = false
  /// What others left in the journal, and since when nobody has added to it.
  var leftWord: UInt64 = 0
  var leftSince: Int64 = 0
  var isCheckpointing = false
  /// Whether this process has the right to write the plist file.
  var hasTurn = false
  /// The file of a checkpoint that was waited for to give an edit its name back.
  var awaited: FileStatus?
  /// Since when another process writes the plist file; 0 while none does.
  var waitingSince: Int64 = 0
  var pace = FlushPace()
  /// Whether the plist was missing at the last look of a read.
  var wasMissing = false
  var isWatching = false
  /// Whether the watcher does not know yet where a link in the plist file's place leads.
  var isLinkNews = false
  /// Whether the domain held more than its limit when it was last asked; anyone may read it.
  var isLarge: Bool {
    get { largeness.load(ordering: .relaxed) }
    set { largeness.store(newValue, ordering: .relaxed) }
  }
  /// Stand in for the journal's word while there is no journal: the second where no epoch can be
  /// shared.
  var epoch: JournalEpoch?
  let localWord = LocalWord()
  /// What keeps the word alive that the table follows.
  var wordOwner: AnyObject?
  /// Who wants to hear of changes from outside, and what changed since they were told.
  var watches: [Int: @Sendable ([Touch]) -> Void] = [:]
  var touched: [String: PropertyListValue?] = [:]
  /// For tests: what happens at each step of an append.
  package var step: ((AppendStep) -> Void)?

  init(at paths: StorePaths, in process: StorageProcess, rules: StoreRules = StoreRules()) {
    self.paths = paths
    self.process = process
    self.rules = rules
    names = JournalNames(paths: paths, disk: process.disk)
    directories = DomainDirectories(paths, on: process.disk)
    feed = process.feed
    table = Table(word: localWord.pointer)
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

  // -- Around a fork

  /// Whether everything here is known and is this process's own.
  @inline(__always)
  var isReady: Bool { isLoaded && forks == ProcessEvents.forks }

  /// In a child: threads, kernel locks and watches are the parent's. The lock must be held.
  func forgetParent() {
    forks = ProcessEvents.forks
    lockOwner = nil
    isScheduled = false
    isCheckpointing = false
    hasTurn = false
    table.unpinAll()
    watches.removeAll()
    touched.removeAll()
    isWatching = false
  }
}
