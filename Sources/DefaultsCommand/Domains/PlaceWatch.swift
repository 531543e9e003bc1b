import StrataDomains
import StrataPropertyList
import StrataStorage

/// A watch over all domains of one place, also those that are made later.
final class PlaceWatch: @unchecked Sendable {
  // Safety: constants, and state that the lock guards.
  private let session: Session
  private let tell: @Sendable (NamedDomain, Difference) -> Void
  private let directories = DirectoryWatch()
  private var watches: [NamedDomain: Store.Watch] = [:]
  private let lock = Lock(.observers)
  /// One thread looks at a time: two would both watch a domain that neither has watched before.
  private let looking = Lock(.watching)

  init(_ session: Session, _ tell: @escaping @Sendable (NamedDomain, Difference) -> Void) {
    self.session = session
    self.tell = tell
  }

  func begin() throws(Failure) {
    let places = session.process.places
    let directory = session.host == .any ? places.userDirectory : places.hostDirectory
    guard let directory else { throw Failure("there is no home directory to watch; set HOME") }
    directories.tell { [weak self] in self?.lookAgain() }
    let hidden = StorePaths.hiddenDirectory(of: directory)
    directories.watch([directory, hidden], isForNames: true)
    try look(isFirst: true)
  }

  private func lookAgain() {
    do throws(Failure) {
      try look(isFirst: false)
    } catch {
      // What can't be read now is looked at again when something happens.
      Log.write(error.text ?? "")
    }
  }

  /// Watches the domains that are there now. All values of a new one are news.
  private func look(isFirst: Bool) throws(Failure) {
    looking.lock()
    defer { looking.unlock() }
    let listing = try session.domains()
    // What can't be read now is told once it can be; that it can't be is in the log.
    let domains = listing.domains.map(\.domain) + listing.unreadable.map(\.domain)
    for domain in domains where !isWatched(domain) {
      guard case .file(let store) = try session.layer(of: domain) else { continue }
      let reporter = ChangeReporter(from: isFirst ? store.snapshot().values : [:]) {
        store.snapshot().values
      } _: { [tell] difference in
        tell(domain, difference)
      }
      // Also of what came back to what it was: the reporter may have seen what was between.
      let watch = store.addListener { _ in reporter.check() }
      lock.withLock { watches[domain] = watch }
      store.expectNews()
      reporter.check()
    }
  }

  private func isWatched(_ domain: NamedDomain) -> Bool {
    lock.withLock { watches[domain] != nil }
  }
}
