/// Tells when directories that are missing are made.
package final class DirectoryWatch: @unchecked Sendable {
  // Safety: guarded by `lock`, but for what says itself how it is shared.
  private let suspicion = Suspicion()
  private let lock = Lock(.memory)
  private var directories: [String] = []
  private var feed: Feed?
  private var isHeard = true

  package init() {}

  /// Watches for these from now on, instead of those before.
  package func watch(_ directories: [String]) {
    lock.withLock {
      self.directories = directories
      subscribe()
    }
  }

  /// Whether one may be there by now.
  package var hasNews: Bool {
    lock.withLock {
      if directories.isEmpty { return false }
      if feed?.isStale ?? true { subscribe() }
      feed?.drain()
      return suspicion.take() || !isHeard
    }
  }

  private func subscribe() {
    let feed = StorageProcess.current.feed
    self.feed = feed
    isHeard = directories.allSatisfy { feed.follow(suspicion, to: [], in: $0) != .nothing }
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
