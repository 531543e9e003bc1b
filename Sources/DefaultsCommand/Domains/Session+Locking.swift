import StrataPropertyList
import StrataStorage

/// Changes that depend on what is there.
extension Session {
  /// Makes changes that are found by looking at the domain, without another `defaults` coming in
  /// between.
  func change(
    _ domain: NamedDomain,
    _ decide: ([String: PropertyListValue]) throws(Failure) -> ChangeSet
  ) throws(Failure) {
    let lock = try changeLock(of: domain)
    let changes = try decide(try values(of: domain))
    try apply(changes, to: domain)
    withExtendedLifetime(lock) {}
  }

  /// Nothing where nothing can be stored: then the change says so.
  private func changeLock(of domain: NamedDomain) throws(Failure) -> ProcessLock? {
    guard case .file(let store) = try layer(of: domain) else { return nil }
    guard DirectoryWatch.isThere(store.paths.hidden) else { return nil }
    do throws(StorageError) {
      return try ProcessLock(store.paths.hidden + "/changing")
    } catch {
      return nil
    }
  }
}
