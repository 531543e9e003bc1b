import StrataDomains
import StrataPropertyList
import StrataStorage

/// Watches all domains of one place, including those that are created later.
final class PlaceWatch: @unchecked Sendable {
  // Safety: constants, and state that the lock guards.
  private let session: Session
  private let tell: @Sendable (NamedDomain, Difference) -> Void
  private let directories = DirectoryWatch()
  private var watches: [NamedDomain: Store.Watch] = [:]
  private var isFailing = false
  private let lock = Lock(.observers)
  /// Held during a look, since two at a time could both start watching the same new domain.
  private let looking = Lock(.watching)

  init(_ session: Session, _ tell: @escaping @Sendable (NamedDomain, Difference) -> Void) {
    self.session = session
    self.tell = tell
  }

  func begin() throws(Failure) {
    let places = session.process.places
    let directory = session.host == .any ? places.userDirectory : places.hostDirectory
    guard let directory else { throw Failure("there is no home directory to watch; set HOME") }
    directories.setListener { [weak self] in self?.lookAgain() }
    let hidden = StorePaths.hiddenDirectory(of: directory)
    directories.watch([DirectoryPath(directory), DirectoryPath(hidden)], isForNames: true)
    try look(isFirst: true)
  }

  private func lookAgain() {
    do throws(Failure) {
      try look(isFirst: false)
      lock.withLock { isFailing = false }
    } catch {
      directories.lookAgain()
      let isNews = lock.withLock {
        defer { isFailing = true }
        return !isFailing
      }
      if isNews { Log.write(error.text ?? "") }
    }
  }

  /// Watches the domains that exist now. After the first look, all values of a new domain are
  /// changes.
  private func look(isFirst: Bool) throws(Failure) {
    looking.lock()
    defer { looking.unlock() }
    let listing = try session.domains()
    // Unreadable domains are watched, too, and reported once they can be read; the log has the
    // reason. Those without a name can't be.
    let domains = listing.domains.map(\.domain) + listing.unreadable.compactMap(\.domain)
    if isFirst {
      for (_, text) in listing.unreadable.filter({ $0.domain == nil }) { session.report(text) }
    }
    for domain in domains where !isWatched(domain) {
      guard case .file(let store) = try session.layer(of: domain) else { continue }
      let reporter = ChangeReporter(from: isFirst ? store.snapshot().values : [:]) {
        store.snapshot().values
      } _: { [tell] difference in
        tell(domain, difference)
      }
      // Also called if a value is the same again: the reporter may have seen the one in between.
      let watch = store.addListener { _ in reporter.check() }
      lock.withLock { watches[domain] = watch }
      store.lookForEdits()
      reporter.check()
    }
  }

  private func isWatched(_ domain: NamedDomain) -> Bool {
    lock.withLock { watches[domain] != nil }
  }
}
