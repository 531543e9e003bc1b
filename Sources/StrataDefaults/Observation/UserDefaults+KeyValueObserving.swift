import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage

/// Observing as with Apple's key-value observing. `forKeyPath` is a key, even if it has dots.
extension UserDefaults {
  // Safety: the context is handed back as it was given, and never looked at.
  /// Notifies `observer` of each change of the effective value of a key, whoever makes it.
  ///
  /// Changes by this process are delivered before the method that makes them returns; changes by
  /// others on a thread of the library. The observer is not retained, and need not be removed
  /// before it is deallocated.
  public func addObserver(
    _ observer: KeyValueObserver, forKeyPath keyPath: String,
    options: NSKeyValueObservingOptions = [], context: UnsafeMutableRawPointer?
  ) {
    let call = KeyValueCall(observer, keyPath, self, options, context)
    let prior: @Sendable (Observer.Change) -> Void = { call.deliver($0, isPrior: true) }
    let core = Observer(
      [keyPath], deliversInitial: options.contains(.initial),
      prior: options.contains(.prior) ? prior : nil, onChange: { call.deliver($1, for: $0) })
    registrations.add(observer, core, context)
  }

  /// Removes the latest registration of `observer` for the key; no call begins after this.
  public func removeObserver(_ observer: KeyValueObserver, forKeyPath keyPath: String) {
    remove(observer, keyPath, nil)
  }

  // Safety: the context is compared, and never looked at.
  /// Removes the latest registration of `observer` for the key with this context.
  public func removeObserver(
    _ observer: KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
  ) {
    remove(observer, keyPath, .some(context))
  }

  private func remove(
    _ observer: KeyValueObserver, _ keyPath: String, _ context: UnsafeMutableRawPointer??
  ) {
    if registrations.remove(observer, keyPath, context) { return }
    Log.write(
      "removeObserver(_:forKeyPath: \(keyPath.debugDescription)) has no effect: \(observer) "
        + "is not an observer of it")
  }
}

/// Delivers changes to one registered object.
final class KeyValueCall: @unchecked Sendable {
  // Safety: constants, and weak references, which the runtime guards.
  private weak var observer: KeyValueObserver?
  private weak var defaults: UserDefaults?
  private let key: String
  private let options: NSKeyValueObservingOptions
  private let context: UnsafeMutableRawPointer?

  init(
    _ observer: KeyValueObserver, _ key: String, _ defaults: UserDefaults,
    _ options: NSKeyValueObservingOptions, _ context: UnsafeMutableRawPointer?
  ) {
    self.observer = observer
    self.key = key
    self.defaults = defaults
    self.options = options
    self.context = context
  }

  func deliver(_ change: Observer.Change, for core: Observer? = nil, isPrior: Bool = false) {
    var dictionary = Self.kindOnly
    if options.contains(.old), !change.isFirst { dictionary[.oldKey] = Self.object(change.old) }
    if options.contains(.new), !isPrior { dictionary[.newKey] = Self.object(change.new) }
    if isPrior { dictionary[.notificationIsPriorKey] = NSNumber(value: true) }
    if core?.isEnded != true { call(dictionary) }
  }

  private static var kindOnly: [NSKeyValueChangeKey: Any] {
    [.kindKey: NSNumber(value: NSKeyValueChange.setting.rawValue)]
  }

  private static func object(_ values: [PropertyListValue?]) -> Any {
    values[0].map(Bridge.object) ?? NSNull()
  }

  private func call(_ change: [NSKeyValueChangeKey: Any]) {
    guard let observer, let defaults else { return }
    observer.observeValue(forKeyPath: key, of: defaults, change: change, context: context)
  }
}
