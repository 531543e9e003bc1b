import CStrata

/// The path of a directory.
// An object: the array of strings is a type that the runtime has to make in each process.
package final class DirectoryPath: Sendable {
  package let text: String
  package init(_ text: String) { self.text = text }

  package static func contains(_ paths: [DirectoryPath], _ path: String) -> Bool {
    paths.contains { Path.isSame($0.text, path) }
  }

  static func areSame(_ one: [DirectoryPath], _ other: [DirectoryPath]) -> Bool {
    one.elementsEqual(other) { Path.isSame($0.text, $1.text) }
  }
}

/// Tells when directories that are missing are made and, on request, when names in them change.
package final class DirectoryWatch: @unchecked Sendable {
  // Safety: guarded by `lock`, except for the hint, which documents how it is shared.
  private let hint = ChangeHint()
  private let lock = Lock(.memory)
  private var directories: [DirectoryPath] = []
  /// The directories that were waited for when `body` was last called for.
  private var reportedDirectories: [DirectoryPath] = []
  /// Those that the watcher waits for.
  private var followedDirectories: [DirectoryPath] = []
  private var mustNotify = false
  private var mustLookAgain = false
  private var names: [String]? = []
  private var feed: Feed?
  private var isHeard = true
  /// When the directories are to be looked for again, if nothing is reported.
  private var lookAt: Int64 = 0
  /// Whether the watcher knows of this object: without a directory to wait for, it need not.
  private var isKnown = false
  private var body: (@Sendable () -> Void)?
  private let ownProcess: StorageProcess?

  package convenience init() { self.init(in: nil) }

  /// - Parameter process: nil stands for the program's, which is not made before it is needed.
  init(in process: StorageProcess?) { ownProcess = process }

  private var process: StorageProcess { ownProcess ?? .current }

  /// Watches these directories from now on, instead of the previous ones.
  /// - Parameter isForNames: whether to tell of each change of a name in one of them, too.
  package func watch(_ directories: [DirectoryPath], isForNames: Bool = false) {
    let hasListener = lock.withLock {
      self.directories = directories
      names = isForNames ? nil : []
      lookAt = strata_coarse_now() + Store.checkInterval
      if !directories.isEmpty { subscribe() }
      isKnown = isKnown || body != nil && !directories.isEmpty
      return body != nil && isKnown
    }
    if hasListener { follow() }
  }

  /// Has the watcher know of this object as long as somebody listens.
  private func follow() {
    process.watcher.follow(self) { lock.withLock { body != nil && isKnown } }
  }

  /// Whether a directory may exist by now.
  package var hasNews: Bool {
    lock.withLock {
      if directories.isEmpty { return false }
      if feed?.isStale ?? true { subscribe() }
      feed?.drain()
      return hint.take() || (feed?.isSilent == true ? isTimeToLook : !isHeard)
    }
  }

  private var isTimeToLook: Bool {
    let now = strata_coarse_now()
    guard now >= lookAt else { return false }
    lookAt = now + Store.checkInterval
    process.noteLook()
    return true
  }

  /// Has `body` called, on the watcher's thread, when a directory may exist; nil ends that.
  package func setListener(_ body: (@Sendable () -> Void)?) {
    let (old, mustFollow) = lock.withLock {
      let (old, wasKnown) = (self.body, isKnown)
      self.body = body
      reportedDirectories = directories
      isKnown = body != nil && !directories.isEmpty
      return (old, wasKnown || isKnown)
    }
    withExtendedLifetime(old) {}  // its end may run foreign code
    if mustFollow { follow() }
  }

  /// Has `body` called once more, if there is one.
  package func notifyListener() {
    let (hasListener, wasKnown) = lock.withLock {
      defer { isKnown = isKnown || body != nil }
      mustNotify = body != nil
      return (mustNotify, isKnown)
    }
    // It may have come when there was no directory to wait for any more.
    if hasListener, !wasKnown { follow() }
    if hasListener { process.watcher.wake(self) }
  }

  /// For the listener, which could not see everything: has it called again in a moment.
  package func lookAgain() { lock.withLock { mustLookAgain = true } }

  private func subscribe() {
    let feed = process.feed
    self.feed = feed
    isHeard = directories.allSatisfy { feed.subscribe(hint, to: names, in: $0.text, for: .names) }
  }

  /// Whether the directory exists now.
  package static func isThere(_ directory: String) -> Bool {
    // Most machines have none of them: that takes one call.
    if SystemFileSystem.isMissing(directory) { return false }
    do throws(StorageError) {
      return try SystemFileSystem().status(of: directory) != nil
    } catch {
      return true  // it may; whoever opens it reports what is wrong
    }
  }
}

extension DirectoryWatch: Watched {
  func subscribe(_ hint: ChangeHint, to feed: Feed) -> Bool {
    let (directories, names) = lock.withLock {
      followedDirectories = self.directories
      return (self.directories, self.names)
    }
    return directories.reduce(true) { isHeard, directory in
      feed.subscribe(hint, to: names, in: directory.text, for: .names) && isHeard
    }
  }

  func note(silence: String?) {}

  var isUpToDate: Bool { lock.withLock { DirectoryPath.areSame(followedDirectories, directories) } }

  func deliver() -> Outlook {
    let (body, directories, isOther) = lock.withLock {
      defer {
        reportedDirectories = self.directories
        (mustNotify, mustLookAgain) = (false, false)
      }
      let isReported = DirectoryPath.areSame(reportedDirectories, self.directories)
      let isOther = mustNotify || mustLookAgain || names == nil || !isReported
      return (self.body, self.directories, isOther)
    }
    // Whoever waits for a directory is not told that others lost theirs. A list that has changed
    // means that a directory was made, and that a read has seen it first.
    if isOther || directories.contains(where: { Self.isThere($0.text) }) { body?() }
    return lock.withLock { mustLookAgain } ? .blind : .settled
  }
}
