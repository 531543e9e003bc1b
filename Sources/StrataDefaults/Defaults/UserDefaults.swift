public import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage

/// Settings of a program and of the person who uses it, kept between runs.
///
/// ```swift
/// let defaults = UserDefaults.standard
/// defaults.register(defaults: ["FontSize": 12])
/// defaults.set(14, forKey: "FontSize")
/// defaults.integer(forKey: "FontSize")  // 14, in this process and in every other one at once
/// ```
///
/// A value that was set survives the death of the process; after ``synchronize()`` returned true it
/// survives a power cut. Nothing has to be saved.
@dynamicMemberLookup
open class UserDefaults: NSObject, @unchecked Sendable {
  // Safety: constants; the stack may be used from any thread.
  let stack: Stack
  /// The stack's: typed keys ask it at once.
  let list: SearchList
  let registrations: KeyValueRegistrations
  let tracker = KeyTracker()
  let mismatches = MismatchReports()
  /// Whether no subclass may have a say: then the typed accessors need no `object(forKey:)`.
  let isPlain: Bool

  /// The settings of the running program, and of what is added to them.
  ///
  /// Inside of ``withTemporaryDefaults(_:_:)`` they are others, in memory.
  open class var standard: UserDefaults {
    guard let temporary = TemporarySettings.current else { return shared }
    return temporary.object as? UserDefaults ?? shared
  }

  private static let shared = UserDefaults(on: Application.stack)

  /// A new object for the settings of the running program.
  public convenience override init() { self.init(on: Application.stack) }

  /// An object for the settings of a suite, which programs may share; for those of the running
  /// program when `suiteName` is nil.
  ///
  /// Nil, and a line in the log, for the global domain, for the program's own identifier, and for
  /// what can't name a domain. An absolute path names exactly that property list.
  public required init?(suiteName: String?) {
    guard let stack = Application.stack(ofSuite: suiteName) else { return nil }
    self.stack = stack
    list = stack.list
    registrations = KeyValueRegistrations(in: stack)
    isPlain = type(of: self) == UserDefaults.self
  }

  /// An object for the settings of another user, where this process may read them: as root, or
  /// when it is the same user.
  @available(*, deprecated, message: "a program has no business in the settings of another user")
  public convenience init?(user: String) {
    guard let stack = Application.stack(ofUser: user) else { return nil }
    self.init(on: stack)
  }

  init(on stack: Stack) {
    self.stack = stack
    list = stack.list
    registrations = KeyValueRegistrations(in: stack)
    isPlain = type(of: self) == UserDefaults.self
  }

  // -- Reading

  /// The first value of a key in the search list; nil when no domain has one.
  open func object(forKey defaultName: String) -> Any? {
    KeyRecorder.recordRead(of: defaultName)
    return stack.value(forKey: defaultName).map(Bridge.object)
  }

  /// The value if it is a string, or a number as a string.
  open func string(forKey defaultName: String) -> String? {
    let stored = stored(defaultName)
    // A text is handed on, without another count of references to it.
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

  /// The value if it is an array of nothing but strings.
  open func stringArray(forKey defaultName: String) -> [String]? {
    stored(defaultName)?.stringArrayValue
  }

  /// The value as an integer; 0 when there is none, or one that says no integer.
  open func integer(forKey defaultName: String) -> Int { stored(defaultName).integerValue }

  /// The value as a number; 0 when there is none, or one that says no number.
  open func float(forKey defaultName: String) -> Float { stored(defaultName).floatValue }

  /// The value as a number; 0 when there is none, or one that says no number.
  open func double(forKey defaultName: String) -> Double { stored(defaultName).doubleValue }

  /// The value as a Boolean: true for `YES`, `true`, `1` and every number but zero.
  open func bool(forKey defaultName: String) -> Bool { stored(defaultName).boolValue }

  /// The URL that was set; a string is taken as the path of a file.
  open func url(forKey defaultName: String) -> URL? {
    stored(defaultName).flatMap(URLBridge.ofProcess.url)
  }

  /// All keys of the search list, each with its first value.
  open func dictionaryRepresentation() -> [String: Any] { stack.values().mapValues(Bridge.object) }

  /// The same as ``object(forKey:)``.
  open func value(forKey key: String) -> Any? { object(forKey: key) }

  /// What the typed accessors convert: of a subclass, what its `object(forKey:)` says.
  @inline(__always)
  private func stored(_ key: String) -> PropertyListValue? {
    KeyRecorder.recordRead(of: key)
    return isPlain ? stack.value(forKey: key) : storedByObject(key)
  }

  /// What a subclass's `object(forKey:)` returns, as a property-list value.
  func storedByObject(_ key: String) -> PropertyListValue? {
    guard let object = object(forKey: key) else { return nil }
    do {
      return try Bridge.value(of: object, urls: .ofProcess)
    } catch {
      return nil  // no property list, and so nothing that an accessor could convert
    }
  }

  // -- Setting

  /// Sets a value that a property list can hold; nil removes it.
  ///
  /// Anything else is a mistake in the program, and ends it: see ``store(_:forKey:)``.
  open func set(_ value: Any?, forKey defaultName: String) {
    write(value.map { propertyList($0, forKey: defaultName) }, defaultName)
  }

  /// Sets an integer.
  open func set(_ value: Int, forKey defaultName: String) {
    write(.integer(Int64(value)), defaultName)
  }

  /// Sets a number of single precision.
  open func set(_ value: Float, forKey defaultName: String) { write(.single(value), defaultName) }

  /// Sets a number.
  open func set(_ value: Double, forKey defaultName: String) { write(.real(value), defaultName) }

  /// Sets a Boolean.
  open func set(_ value: Bool, forKey defaultName: String) { write(.boolean(value), defaultName) }

  /// Sets a URL; nil removes it.
  open func set(_ url: URL?, forKey defaultName: String) {
    write(url.map(URLBridge.ofProcess.value), defaultName)
  }

  /// Removes the value that was set, so that one of the next domain counts, if there is one.
  open func removeObject(forKey defaultName: String) { write(nil, defaultName) }

  /// The same as `set(_:forKey:)`.
  open func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

  /// Sets values that count when no other domain has one, for the life of the process.
  ///
  /// They are added to those that were registered before, for every object of this class.
  open func register(defaults registrationDictionary: [String: Any]) {
    register(propertyLists(registrationDictionary))
  }

  // -- Suites

  /// Searches the settings of a suite too, below the program's own.
  open func addSuite(named suiteName: String) { add(suite: suiteName) }

  /// Searches the settings of a suite no longer.
  open func removeSuite(named suiteName: String) { remove(suite: suiteName) }

  // -- Domains

  /// The names of the domains that end with the process.
  open var volatileDomainNames: [String] { stack.process.volatile.names }

  /// The values of a domain that ends with the process; empty when there is none of that name.
  open func volatileDomain(forName domainName: String) -> [String: Any] {
    stack.process.volatile.values(ofDomain: domainName).mapValues(Bridge.object)
  }

  /// Gives a domain that ends with the process these values instead of those that it had.
  open func setVolatileDomain(_ domain: [String: Any], forName domainName: String) {
    setVolatile(domain, domainName)
  }

  /// Takes all values from a domain that ends with the process.
  open func removeVolatileDomain(forName domainName: String) { removeVolatile(domainName) }

  /// The names of the domains that hold values of this user.
  @available(*, deprecated, message: "not recommended; a program knows its own domains")
  open func persistentDomainNames() -> [Any] { persistentNames() }

  /// A domain's own values, of this user on any host; nil when it has none.
  open func persistentDomain(forName domainName: String) -> [String: Any]? {
    persistentValues(domainName)?.mapValues(Bridge.object)
  }

  /// Gives a domain these values instead of all that it had, at one moment.
  open func setPersistentDomain(_ domain: [String: Any], forName domainName: String) {
    setPersistent(domain, domainName)
  }

  /// Takes all values from a domain.
  open func removePersistentDomain(forName domainName: String) { setPersistent([:], domainName) }

  /// Whether an administrator decides the value of a key.
  open func objectIsForced(forKey key: String) -> Bool { stack.isForced(key) }

  /// Whether an administrator decides the value of a key for another program or suite.
  open func objectIsForced(forKey key: String, inDomain domain: String) -> Bool {
    isForced(key, domain)
  }

  // -- What need not be called

  /// Makes everything that was set survive a power cut.
  ///
  /// What was set is seen by all processes and survives the death of this one without it.
  /// - Returns: false when something could not be stored: ``storageIssues`` says why.
  @discardableResult
  open func synchronize() -> Bool { stack.process.isInMemory || stack.own.synchronize() }

  /// Does nothing.
  @available(*, deprecated, message: "it has no effect")
  open class func resetStandardUserDefaults() {}
}
