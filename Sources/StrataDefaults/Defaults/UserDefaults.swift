public import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage
import Synchronization

/// Settings of a program, stored between runs.
///
/// ```swift
/// let defaults = UserDefaults.standard
/// defaults.register(defaults: ["FontSize": 12])
/// defaults.set(14, forKey: "FontSize")
/// defaults.integer(forKey: "FontSize")  // 14, in this process and in every other one at once
/// ```
///
/// A value that was set survives a crash of the process and, once ``synchronize()`` has returned
/// true, a power failure. There is no need to save anything.
@dynamicMemberLookup
open class UserDefaults: UserDefaultsTypes, @unchecked Sendable {
  // Safety: constants; the stack may be used from any thread.
  let stack: Stack
  /// The stack's list, which typed keys read directly.
  let list: SearchList
  // Made when they are needed: most programs read some settings and end.
  private let lazyRegistrations = AtomicLazyReference<KeyValueRegistrations>()
  private let lazyTracker = AtomicLazyReference<KeyTracker>()
  private let lazyMismatches = AtomicLazyReference<MismatchReports>()
  /// Whether this is no subclass, which could override `object(forKey:)`: the typed accessors need
  /// not call it then.
  let isPlain: Bool

  /// The settings of the running program.
  ///
  /// Inside of ``withTemporaryDefaults(_:_:)`` they are replaced by settings in memory.
  open class var standard: UserDefaults {
    guard let temporary = TemporarySettings.current else { return shared }
    return temporary.object as? UserDefaults ?? shared
  }

  private static let shared = UserDefaults(on: Application.stack)

  /// A new object for the settings of the running program.
  public convenience override init() { self.init(on: Application.stack) }

  /// An object for the settings of a suite, which programs can share, or of the running program if
  /// `suiteName` is nil.
  ///
  /// Nil, with a line in the log, for the global domain, the program's own identifier, and a name
  /// that is not valid. An absolute path names exactly that property list.
  public init?(suiteName: String?) {
    guard let stack = Application.stack(ofSuite: suiteName) else { return nil }
    self.stack = stack
    list = stack.list
    isPlain = type(of: self) == UserDefaults.self
  }

  /// An object for the settings of another user, which this process must be allowed to read.
  @available(*, deprecated, message: "a program has no business in the settings of another user")
  public convenience init?(user: String) {
    guard let stack = Application.stack(ofUser: user) else { return nil }
    self.init(on: stack)
  }

  init(on stack: Stack) {
    self.stack = stack
    list = stack.list
    isPlain = type(of: self) == UserDefaults.self
  }

  var registrations: KeyValueRegistrations {
    lazyRegistrations.load() ?? lazyRegistrations.storeIfNil(KeyValueRegistrations(in: stack))
  }
  var tracker: KeyTracker { lazyTracker.load() ?? lazyTracker.storeIfNil(.of(stack)) }
  var mismatches: MismatchReports {
    lazyMismatches.load() ?? lazyMismatches.storeIfNil(MismatchReports())
  }

  // -- Reading

  /// The first value of a key in the search list; nil if no domain has one.
  open func object(forKey defaultName: String) -> Any? {
    KeyRecorder.recordRead(of: defaultName, in: stack)
    return stack.value(forKey: defaultName).map(Bridge.object)
  }

  /// The value if it is a string or a number, as a string.
  open func string(forKey defaultName: String) -> String? {
    let stored = stored(defaultName)
    // Returned as it is, which saves counting one more reference.
    if case .string(let text)? = stored { return text }
    return stored?.stringValue
  }

  /// The value if it is an array.
  open func array(forKey defaultName: String) -> [Any]? {
    stored(defaultName)?.arrayValue?.map(Bridge.object)
  }

  /// The value if it is a dictionary.
  open func dictionary(forKey defaultName: String) -> [String: Any]? {
    stored(defaultName)?.dictionaryValue?.mapValues(Bridge.object)
  }

  /// The value if it is data.
  open func data(forKey defaultName: String) -> Data? {
    stored(defaultName)?.dataValue.map { Data($0) }
  }

  /// The value if it is an array of strings.
  open func stringArray(forKey defaultName: String) -> [String]? {
    stored(defaultName)?.stringArrayValue
  }

  /// The value as an integer; 0 if there is none that can be converted.
  open func integer(forKey defaultName: String) -> Int { stored(defaultName).integerValue }

  /// The value as a floating-point number; 0 if there is none that can be converted.
  open func float(forKey defaultName: String) -> Float { stored(defaultName).floatValue }

  /// The value as a floating-point number; 0 if there is none that can be converted.
  open func double(forKey defaultName: String) -> Double { stored(defaultName).doubleValue }

  /// The value as a Boolean: true for `YES`, `true`, `1` and any number but zero.
  open func bool(forKey defaultName: String) -> Bool { stored(defaultName).boolValue }

  /// The URL that was set; a string is taken as a file's path.
  open func url(forKey defaultName: String) -> URL? {
    stored(defaultName).flatMap(URLBridge.ofProcess.url)
  }

  /// All keys of the search list, each with its first value.
  open func dictionaryRepresentation() -> [String: Any] { stack.values().mapValues(Bridge.object) }

  /// The value that the typed accessors convert; of a subclass, what its `object(forKey:)` returns.
  @inline(__always)
  private func stored(_ key: String) -> PropertyListValue? {
    KeyRecorder.recordRead(of: key, in: stack)
    return isPlain ? stack.value(forKey: key) : storedByObject(key)
  }

  /// What a subclass's `object(forKey:)` returns, as a property-list value.
  func storedByObject(_ key: String) -> PropertyListValue? {
    guard let object = object(forKey: key) else { return nil }
    do {
      return try Bridge.value(of: object, urls: .ofProcess)
    } catch {
      return nil  // no property-list value, and so nothing that an accessor could convert
    }
  }

  // -- Setting

  /// Sets a value that a property list can hold; nil removes it.
  ///
  /// Any other value is a programming error and ends the program; ``store(_:forKey:)`` throws.
  open func set(_ value: Any?, forKey defaultName: String) {
    write(value.map { propertyList($0, forKey: defaultName) }, defaultName)
  }

  /// Sets an integer.
  open func set(_ value: Int, forKey defaultName: String) {
    store(.integer(Int64(value)), value, defaultName)
  }

  /// Sets a number of single precision.
  open func set(_ value: Float, forKey defaultName: String) {
    store(.single(value), value, defaultName)
  }

  /// Sets a number.
  open func set(_ value: Double, forKey defaultName: String) {
    store(.real(value), value, defaultName)
  }

  /// Sets a Boolean.
  open func set(_ value: Bool, forKey defaultName: String) {
    store(.boolean(value), value, defaultName)
  }

  /// Sets a URL; nil removes it.
  open func set(_ url: URL?, forKey defaultName: String) {
    store(isPlain ? url.map(URLBridge.ofProcess.value) : nil, url, defaultName)
  }

  /// Removes the value that was set, so that the next domain that has one gives the value.
  open func removeObject(forKey defaultName: String) { store(nil, nil, defaultName) }

  /// Stores a value; in a subclass, by its `set(_: Any?, forKey:)`, as Apple documents of the typed
  /// setters: a subclass that overrides that one and `object(forKey:)` keeps all values.
  @inline(__always)
  private func store(
    _ value: PropertyListValue?, _ object: @autoclosure () -> Any?, _ key: String
  ) {
    isPlain ? write(value, key) : set(object(), forKey: key)
  }

  /// Registers values for keys that no other domain has a value for, for the life of the process.
  ///
  /// They are added to the values that were registered before, for all objects of this class.
  open func register(defaults registrationDictionary: [String: Any]) {
    register(propertyLists(registrationDictionary))
  }

  // -- Key-value coding

  /// Returns the same as ``object(forKey:)``.
  open func value(forKey key: String) -> Any? { object(forKey: key) }

  /// Does the same as `set(_:forKey:)`.
  open func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

  /// The value for a key, or a value inside of its dictionary.
  ///
  /// Since a key may have dots, the longest key that the path begins with gives the value; the rest
  /// of the path leads on inside of it.
  open func value(forKeyPath keyPath: String) -> Any? { object(at: DottedPath(keyPath)) }

  /// Sets values for several keys, one after the other; `NSNull` stands for nil.
  open func setValuesForKeys(_ keyedValues: [String: Any]) { setEach(keyedValues) }

  /// The values for keys; `NSNull` for a key that has none.
  open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    keys.reduce(into: [:]) { $0[$1] = value(forKey: $1) ?? NSNull() }
  }

  /// Does nothing: observers are notified of each change without it, and once.
  open func willChangeValue(forKey key: String) {}

  /// Does nothing: observers are notified of each change without it, and once.
  open func didChangeValue(forKey key: String) {}

  // -- Suites

  /// Adds the settings of a suite to the search list, below the program's own.
  open func addSuite(named suiteName: String) { add(suite: suiteName) }

  /// Removes the settings of a suite from the search list.
  open func removeSuite(named suiteName: String) { remove(suite: suiteName) }

  // -- Domains

  /// The names of the domains that end with the process.
  open var volatileDomainNames: [String] { stack.process.volatile.names }

  /// The values of a domain that ends with the process; empty if there is none of that name.
  open func volatileDomain(forName domainName: String) -> [String: Any] {
    stack.process.volatile.values(ofDomain: domainName).mapValues(Bridge.object)
  }

  /// Replaces all values of a domain that ends with the process.
  open func setVolatileDomain(_ domain: [String: Any], forName domainName: String) {
    setVolatile(domain, domainName)
  }

  /// Removes all values of a domain that ends with the process.
  open func removeVolatileDomain(forName domainName: String) { removeVolatile(domainName) }

  /// The names of the domains that hold values of this user.
  @available(*, deprecated, message: "not recommended; a program knows its own domains")
  open func persistentDomainNames() -> [Any] { persistentNames() }

  /// A domain's own values, of this user on any host; nil if it has none.
  open func persistentDomain(forName domainName: String) -> [String: Any]? {
    persistentValues(domainName)?.mapValues(Bridge.object)
  }

  /// Replaces all values of a domain at once.
  open func setPersistentDomain(_ domain: [String: Any], forName domainName: String) {
    setPersistent(domain, domainName)
  }

  /// Removes all values of a domain.
  open func removePersistentDomain(forName domainName: String) { setPersistent([:], domainName) }

  /// Whether an administrator enforces the value of a key.
  open func objectIsForced(forKey key: String) -> Bool { stack.isForced(key) }

  /// Whether an administrator enforces the value of a key for another program or suite.
  open func objectIsForced(forKey key: String, inDomain domain: String) -> Bool {
    isForced(key, domain)
  }

  // -- What need not be called

  /// Makes everything that was set survive a power failure.
  ///
  /// Values are visible to all processes, and survive a crash of this one, without it.
  /// - Returns: false if something could not be stored: ``storageIssues`` says why.
  @discardableResult
  open func synchronize() -> Bool {
    stack.process.isInMemory || stack.process.synchronize(stack.own)
  }

  /// Does nothing.
  @available(*, deprecated, message: "it has no effect")
  open class func resetStandardUserDefaults() {}
}
