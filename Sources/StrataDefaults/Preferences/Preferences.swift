import StrataDomains
import StrataPropertyList
import StrataStorage

/// One exact place in which preferences are kept: CFPreferences for Swift.
///
/// There is no search: values that are set in another place, or enforced by an administrator, are
/// not seen. ``Search`` finds the effective values of an application.
///
/// ```swift
/// let everyone = try Preferences("com.example.app", user: .any)
/// try everyone.set(true, forKey: "KioskMode")  // for all users; throws without the right to it
/// ```
public struct Preferences: Sendable {
  /// The users that a place is for.
  public enum User: Sendable, Hashable {
    /// The user whose rights the process has.
    case current
    /// All users of this machine.
    case any
  }

  /// The machines that a place is for.
  public enum Host: Sendable, Hashable {
    /// On this machine only, even if others share the home directory.
    case current
    /// Wherever the home directory is.
    case any
  }

  /// Any application: the identifier of the global domain.
  public static let anyApplication = DomainIdentifier.global.name

  private let identifier: DomainIdentifier
  private let layer: Layer
  private let process: DomainProcess
  /// The files that this process must be allowed to write before something is set.
  private let guarded: StorePaths?

  /// The place of an application, or of ``anyApplication``, for this user or for all, on this
  /// machine or on any.
  ///
  /// Without an identifier it is the running program's. Preferences for all users are kept on this
  /// machine, and have the same place for both hosts.
  /// - Throws: if the identifier is not valid or has no such place: a property list named by its
  ///   path has only one, and without a home directory there is none for this machine.
  public init(
    _ identifier: String? = nil, user: User = .current, host: Host = .any
  ) throws(DefaultsError) {
    let domain = try Self.domain(identifier)
    try self.init(domain, user: user, host: host, in: Application.process)
  }

  init(
    _ identifier: DomainIdentifier, user: User, host: Host, in process: DomainProcess
  ) throws(DefaultsError) {
    self.identifier = identifier
    var place: Layer?
    var guarded: StorePaths?
    switch (user, host) {
    case (.current, .any): place = process.domain(identifier)
    case (.current, .current): place = process.domainOnThisHost(identifier)
    case (.any, _):
      let store = process.domainForAllUsers(identifier)
      place = store.map { .file($0) }
      guarded = store?.paths
    }
    guard let place else {
      throw DefaultsError(
        reason: "\(identifier.name) has no place for \(user) user and \(host) host; "
          + "use this user and any host")
    }
    layer = place
    self.guarded = guarded
    self.process = process
  }

  static func domain(_ name: String?) throws(DefaultsError) -> DomainIdentifier {
    guard let name else { return Application.identifier }
    do throws(DomainIdentifierError) {
      return try Application.domain(name)
    } catch {
      throw DefaultsError(reason: error.description)
    }
  }

  // -- Reading

  /// The keys that have a value in this place.
  public var keys: [String] { KeyOrder.ascending(Array(layer.snapshot().values.keys)) }

  /// The value of a key in this place.
  public func value(forKey key: String) -> Any? { layer.value(forKey: key).map(Bridge.object) }

  /// The values of several keys, or of all, as of one moment.
  public func values(forKeys keys: [String]? = nil) -> [String: Any] {
    let values = layer.snapshot().values
    guard let keys else { return values.mapValues(Bridge.object) }
    return keys.reduce(into: [:]) { $0[$1] = values[$1].map(Bridge.object) }
  }

  // -- Setting

  /// Sets a value in this place; nil removes it.
  ///
  /// - Throws: if no property list can hold the value, the key is not valid, or this process may
  ///   not change the values of all users. Nothing is changed then.
  public func set(_ value: Any?, forKey key: String) throws(DefaultsError) {
    try setMultiple(value.map { [key: $0] } ?? [:], removing: value == nil ? [key] : [])
  }

  /// Sets the values of several keys and removes others, all at once. A key that is in both is
  /// removed.
  ///
  /// - Throws: as ``set(_:forKey:)``.
  public func setMultiple(
    _ values: [String: Any], removing keys: [String] = []
  ) throws(DefaultsError) {
    var changes: [String: PropertyListValue?] = [:]
    for (key, value) in values { changes[key] = try Self.stored(value, key) }
    for key in keys { changes[key] = .some(try Self.stored(nil, key)) }
    try allow()
    let all = KeyOrder.ascending(Array(changes.keys)).map {
      Change(key: $0, value: changes[$0] ?? nil)
    }
    process.notifyObservers(priorTo: all, in: layer, by: process)
    let pending: [Observer]
    do throws(StorageError) {
      pending = try process.perform(all, in: layer, by: process) { () throws(StorageError) in
        try layer.apply(ChangeSet(all))
      }
    } catch {
      throw DefaultsError(reason: error.description)
    }
    OwnChanges.note(all, in: layer)
    pending.notify()
  }

  private static func stored(
    _ object: Any?, _ key: String
  ) throws(DefaultsError) -> PropertyListValue? {
    do throws(BridgeError) {
      try Bridge.check(key: key)
      return try object.map { (object) throws(BridgeError) in try Bridge.value(of: object) }
    } catch {
      throw DefaultsError(key: key, reason: error.message(forKey: key))
    }
  }

  /// Makes everything that was set here survive a power failure.
  ///
  /// - Returns: false if something could not be stored.
  @discardableResult
  public func synchronize() -> Bool { process.isInMemory || layer.synchronize() }

  /// One user's values that can't be stored stay in memory until they can. Values for all users
  /// must not, since they would seem to be set while other users don't see them.
  private func allow() throws(DefaultsError) {
    guard let guarded, let obstacle = WritePermission.obstacle(to: guarded) else { return }
    throw DefaultsError(
      path: guarded.plist,
      reason: "it was not changed: \(obstacle); only root can change settings of all users")
  }
}
