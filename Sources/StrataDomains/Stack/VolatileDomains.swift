package import StrataPropertyList
package import StrataStorage

/// The named domains that end with the process. Three are searched, and a fourth once the
/// environment has been read.
package final class VolatileDomains: @unchecked Sendable {
  // Safety: constants, and state that the lock guards.
  package static let argumentName = "NSArgumentDomain"
  package static let registrationName = "NSRegistrationDomain"
  package static let languageName = "NSLanguageDomain"
  package static let environmentName = "StrataEnvironmentDomain"

  package let arguments: MemoryStore
  package let registration = MemoryStore()
  package let languages: MemoryStore
  private var environmentStore: MemoryStore?
  private var others = [String: MemoryStore]()
  private let lock = Lock(.memory)

  package init(arguments: [String: PropertyListValue], languages: MemoryStore) {
    self.arguments = MemoryStore(arguments)
    self.languages = languages
  }

  package var names: [String] {
    [Self.argumentName, Self.languageName, Self.registrationName]
      + lock.withLock {
        (environmentStore == nil ? [] : [Self.environmentName])
          + KeyOrder.ascending(Array(others.keys))
      }
  }

  /// The values of the environment, once they have been read; searched right after the arguments.
  package var environment: MemoryStore? {
    // Not `withLock`: what it returns has a type, which the runtime would have to make.
    lock.lock()
    defer { lock.unlock() }
    return environmentStore
  }

  func setEnvironment(_ values: [String: PropertyListValue]?) {
    lock.withLock { environmentStore = values.map { MemoryStore($0) } }
  }

  /// The domain with this name that is searched; nil for one that is not.
  package func searchedDomain(named name: String) -> Layer? {
    lock.withLock({ others[name] }) == nil ? store(named: name).map(Layer.memory) : nil
  }

  package func values(ofDomain name: String) -> [String: PropertyListValue] {
    store(named: name)?.snapshot().values ?? [:]
  }

  /// Replaces all values of a domain, which is created if it does not exist.
  package func set(_ values: [String: PropertyListValue], ofDomain name: String) {
    let changes = ChangeSet(setting: values, replacesAll: true)
    if let store = store(named: name) { return store.apply(changes) }
    lock.withLock { others[name] = MemoryStore(values) }
  }

  /// Removes all values of a domain, and the domain itself if it is not searched.
  package func remove(domain name: String) {
    store(named: name)?.apply(ChangeSet([], replacesAll: true))
    lock.withLock { _ = others.removeValue(forKey: name) }
  }

  /// Adds to the registered values; later ones replace earlier ones.
  package func register(_ values: [String: PropertyListValue]) {
    registration.apply(ChangeSet(setting: values))
  }

  private func store(named name: String) -> MemoryStore? {
    switch name {
    case Self.argumentName: arguments
    case Self.registrationName: registration
    case Self.languageName: languages
    case Self.environmentName: environment
    default: lock.withLock { others[name] }
    }
  }
}
