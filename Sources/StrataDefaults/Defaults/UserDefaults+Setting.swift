import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage

/// Storing values in the domain that values are set in.
extension UserDefaults {
  /// Sets a value, or removes it, like `set(_:forKey:)`.
  ///
  /// - Throws: if no property list can hold the value, the key is not valid, or the domain has no
  ///   room; nothing is changed then.
  @_disfavoredOverload
  public func store(_ value: Any?, forKey key: String) throws(DefaultsError) {
    let stored: PropertyListValue?
    do throws(BridgeError) {
      stored = try value.map { (value) throws(BridgeError) in try Self.checked(value, key) }
    } catch {
      throw DefaultsError(key: key, reason: error.message(forKey: key))
    }
    try change(stored, key)
  }

  func write(_ value: PropertyListValue?, _ key: String) {
    do throws(DefaultsError) {
      try change(value, key)
    } catch {
      if error.isMistake { fatalError(error.description) }
      Log.write(error.description)
    }
  }

  /// Throws what a set of this value would.
  func check(_ value: PropertyListValue?, _ key: String) throws(DefaultsError) {
    if let refusal = Limits.refusal(of: ChangeSet([Change(key: key, value: value)])) {
      throw Self.refusal(of: key, refusal)
    }
    try checkHardLimit(value, key)
  }

  func change(_ value: PropertyListValue?, _ key: String) throws(DefaultsError) {
    try checkHardLimit(value, key)
    let (process, own) = (stack.process, stack.own)
    let pending: [Observer]
    do throws(StorageError) {
      pending = try process.set(value, forKey: key, in: own, by: self)
    } catch {
      throw Self.refusal(of: key, error)
    }
    didChange([Change(key: key, value: value)], in: own, notifying: pending)
  }

  /// Applies all changes as one, if each of these keys still has this value in the domain that
  /// values are set in.
  /// - Returns: whether they were applied.
  func change(_ changes: [Change], ifStill expected: [Change]) throws(DefaultsError) -> Bool {
    if changes.isEmpty { return true }
    try checkHardLimit(changes)
    let (process, own) = (stack.process, stack.own)
    // No prior notification of a change that is known to fail.
    if process.isObserved, expected.contains(where: { own.value(forKey: $0.key) != $0.value }) {
      return false
    }
    process.notifyObservers(priorTo: changes, in: own, by: self)
    let pending: [Observer]
    var isApplied = false
    do throws(StorageError) {
      pending = try process.perform(isApplied ? changes : [], in: own, by: self) {
        () throws(StorageError) in
        isApplied = try own.apply(ChangeSet(changes), ifStill: expected)
      }
    } catch {
      throw Self.refusal(ofOneOf: changes.map(\.key), error)
    }
    if !isApplied { return false }
    didChange(changes, in: own, notifying: pending)
    return true
  }

  // With the layer: to ask the stack for it once more costs a set as much as its lock.
  private func didChange(
    _ changes: @autoclosure () -> [Change], in own: Layer, notifying observers: [Observer]
  ) {
    OwnChanges.note(changes(), in: own)
    didChange(notifying: observers)
    checkSizeLimit(of: own, stack.identifier.name)
  }

  /// Blames the key that is not valid, if one is.
  static func refusal(
    ofOneOf keys: some Collection<String>, _ error: StorageError
  ) -> DefaultsError {
    guard let key = keys.first(where: { fault(of: $0) != nil }) ?? keys.first else {
      return DefaultsError(reason: error.description)
    }
    return refusal(of: key, error)
  }

  private static func refusal(of key: String, _ error: StorageError) -> DefaultsError {
    let fault = fault(of: key)
    return DefaultsError(
      key: key,
      reason: fault ?? "the value for key \(key) was not stored: \(error.description)",
      isMistake: fault != nil)
  }

  /// What is wrong with a key, in the words of every setter; nil for a valid one.
  private static func fault(of key: String) -> String? {
    do throws(BridgeError) {
      try Bridge.check(key: key)
      return nil
    } catch {
      return error.message(forKey: key)
    }
  }

  /// The object as a property-list value. Any other object ends the program.
  func propertyList(_ object: Any, forKey key: String) -> PropertyListValue {
    do throws(BridgeError) {
      return try Self.checked(object, key)
    } catch {
      fatalError(error.message(forKey: key))
    }
  }

  func propertyLists(_ domain: [String: Any]) -> [String: PropertyListValue] {
    domain.reduce(into: [:]) { $0[$1.key] = propertyList($1.value, forKey: $1.key) }
  }

  /// A URL is stored as by its own setter; inside of a container it is no property-list value.
  private static func checked(
    _ object: Any, _ key: String
  ) throws(BridgeError) -> PropertyListValue {
    try Bridge.check(key: key)
    // By its type: for a cast, Foundation would convert a container with all of its elements.
    let type = type(of: object)
    let isURL =
      type is URL.Type || type is NSURL.Type || type == URL?.self || type == NSURL?.self
    return try Bridge.value(of: object, urls: isURL ? .ofProcess : nil)
  }
}
