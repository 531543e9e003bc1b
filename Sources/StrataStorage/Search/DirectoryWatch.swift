/// Tells when directories that are missing are made and, if that is wanted, what is named in them.
package final class DirectoryWatch: @unchecked Sendable {
  // Safety: guarded by `lock`, but for what says itself how it is shared.
  private let hint = ChangeHint()
  private let lock = Lock(.memory)
  private var directories: [String] = []
  /// What was waited for when `body` was last asked for.
  private var toldDirectories: [String] = []
  private var mustTell = false
  private var names: [String]? = []
  private var feed: Feed?
  private var isHeard = true
  /// Whether the watcher was told of this: who never had a directory to wait for needs none.
  private var isKnown = false
  private var body: (@Sendable () -> Void)?
  private let ownProcess: StorageProcess?

  package convenience init() { self.init(in: nil) }

  /// - Parameter process: nil stands for the program's, which is not made before it is needed.
  init(in process: StorageProcess?) { ownProcess = process }

  private var process: StorageProcess { ownProcess ?? .current }

  /// Watches for these from now on, instead of those before.
  /// - Parameter isForNames: tells also of each change of a name in one of them.
  package func watch(_ directories: [String], isForNames: Bool = false) {
    let isTold = lock.withLock {
      self.directories = directories
      names = isForNames ? nil : []
      if !directories.isEmpty { listen() }
      isKnown = isKnown || body != nil && !directories.isEmpty
      return body != nil && isKnown
    }
    if isTold { process.watcher.add(self) }
  }

  /// Whether one may be there by now.
  package var hasNews: Bool {
    lock.withLock {
      if directories.isEmpty { return false }
      if feed?.isStale ?? true { listen() }
      feed?.drain()
      return hint.take() || !isHeard
    }
  }

  /// Has `body` called, on the watcher's thread, when one may be there; nil ends that.
  package func tell(_ body: (@Sendable () -> Void)?) {
    let wasKnown = lock.withLock {
      self.body = body
      toldDirectories = directories
      defer { isKnown = body != nil && !directories.isEmpty }
      return isKnown
    }
    if body == nil {
      if wasKnown { process.watcher.remove(self) }
    } else if lock.withLock({ isKnown }) {
      process.watcher.add(self)
    }
  }

  /// Has `body` called once more, if anybody wants to be told.
  package func tellAnew() {
    let isTold = lock.withLock {
      mustTell = body != nil && isKnown
      return mustTell
    }
    if isTold { process.watcher.wake(self) }
  }

  private func listen() {
    let feed = process.feed
    self.feed = feed
    isHeard = directories.allSatisfy { feed.subscribe(hint, to: names, in: $0, for: .names) }
  }

  /// Whether there is a directory now.
  package static func isThere(_ directory: String) -> Bool {
    do throws(StorageError) {
      return try SystemFileSystem().status(of: directory) != nil
    } catch {
      return true  // it may be; whoever opens it says what is wrong
    }
  }
}

extension DirectoryWatch: Watched {
  func subscribe(_ hint: ChangeHint, to feed: Feed) -> Bool {
    let (directories, names) = lock.withLock { (self.directories, self.names) }
    return directories.reduce(true) { isHeard, directory in
      feed.subscribe(hint, to: names, in: directory, for: .names) && isHeard
    }
  }

  func note(silence: String?) {}

  func deliver() -> Bool {
    let (body, directories, isOther) = lock.withLock {
      defer {
        toldDirectories = self.directories
        mustTell = false
      }
      let isOther = mustTell || names == nil || toldDirectories != self.directories
      return (self.body, self.directories, isOther)
    }
    // Whoever waits for a directory is not told that others lost theirs. Another list says that one
    // came which a reader has seen first.
    if isOther || directories.contains(where: Self.isThere) { body?() }
    return false
  }
}
