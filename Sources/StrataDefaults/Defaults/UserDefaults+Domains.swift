import Foundation
import StrataDomains
package import StrataPropertyList
import StrataStorage

/// Whole domains, suites and registered values.
extension UserDefaults {
  /// The volatile domain of the command line: `-key value`.
  public static let argumentDomain = VolatileDomains.argumentName
  /// The persistent domain that all programs of a user share.
  public static let globalDomain = DomainIdentifier.global.name
  /// The volatile domain of the values that `register(defaults:)` registers.
  public static let registrationDomain = VolatileDomains.registrationName
  /// The volatile domain of the values that follow from the user's languages.
  public static let languageDomain = VolatileDomains.languageName

  package func register(_ values: [String: PropertyListValue]) {
    if values.isEmpty { return }
    let (process, layer) = (stack.process, Layer.memory(stack.process.volatile.registration))
    let changes = values.map { Change(key: $0.key, value: $0.value) }
    didChange(
      notifying: process.perform(changes, in: layer, by: self) {
        process.volatile.register(values)
      })
  }

  // -- Suites

  func add(suite name: String) {
    do throws(Stack.Refusal) {
      try stack.add(suite: domain(name), by: self)
    } catch {
      let reason = error == .own ? "it is this object's own domain" : "it is already searched"
      Log.write("addSuite(named: \(name.debugDescription)) has no effect: \(reason)")
    }
  }

  func remove(suite name: String) { stack.remove(suite: domain(name), by: self) }

  /// An invalid name is a programming error.
  private func domain(_ name: String) -> DomainIdentifier {
    do throws(DomainIdentifierError) {
      return try Application.domain(name)
    } catch {
      fatalError(error.description)
    }
  }

  // -- Volatile

  func setVolatile(_ domain: [String: Any], _ name: String) {
    let values = propertyLists(domain)
    changeVolatile(name, to: values) { $0.set(values, ofDomain: name) }
  }

  func removeVolatile(_ name: String) { changeVolatile(name, to: [:]) { $0.remove(domain: name) } }

  private func changeVolatile(
    _ name: String, to values: [String: PropertyListValue], _ body: (VolatileDomains) -> Void
  ) {
    let process = stack.process
    guard let layer = process.volatile.searchedDomain(named: name) else {
      body(process.volatile)
      return didChange(notifying: [])
    }
    var changes: [Change] = []
    didChange(
      notifying: process.perform(changes, in: layer, by: self) {
        changes = Self.changes(from: layer, to: values)
        body(process.volatile)
      })
  }

  // -- Persistent

  func persistentNames() -> [Any] {
    do throws(StorageError) {
      return try stack.process.domainNames(in: stack.places)
    } catch {
      Log.write("could not list the domains: \(error)")
      return []
    }
  }

  func persistentValues(_ name: String) -> [String: PropertyListValue]? {
    let values = layer(name).snapshot().values
    return values.isEmpty ? nil : values
  }

  func setPersistent(_ domain: [String: Any], _ name: String) {
    if volatileDomainNames.contains(name) {
      fatalError(
        "cannot create persistent domain \(name). Volatile domain \(name) already exists.")
    }
    let values = propertyLists(domain)
    do throws(DefaultsError) {
      try checkHardLimit(values, in: name)
    } catch {
      return Log.write(error.description)
    }
    let layer = layer(name)
    var changes = Self.changes(from: layer, to: values)
    stack.process.notifyObservers(priorTo: changes, in: layer, by: self)
    let pending: [Observer]
    do throws(StorageError) {
      pending = try stack.process.perform(changes, in: layer, by: self) {
        () throws(StorageError) in
        // Once more: keys that others have added since are removed, too.
        changes = Self.changes(from: layer, to: values)
        try layer.apply(ChangeSet(setting: values, replacesAll: true))
      }
    } catch {
      let refusal = Self.refusal(ofOneOf: values.keys, error)
      if refusal.isMistake { fatalError(refusal.description) }
      return Log.write("the values of domain \(name) were not stored: \(refusal.description)")
    }
    stack.process.noteReplaced(layer)
    OwnChanges.note(changes, in: layer)
    didChange(notifying: pending)
    checkSizeLimit(of: layer, name)
  }

  /// What changes if these values replace all that a domain has: what is removed comes first.
  private static func changes(
    from layer: Layer, to values: [String: PropertyListValue]
  ) -> [Change] {
    let removed = layer.snapshot().values.keys.filter { values[$0] == nil }
    return KeyOrder.ascending(Array(removed)).map { Change(key: $0, value: nil) }
      + KeyOrder.ascending(Array(values.keys)).map { Change(key: $0, value: values[$0]) }
  }

  private func layer(_ name: String) -> Layer {
    let identifier = domain(name)
    return identifier == stack.identifier
      ? stack.own : stack.process.domain(identifier, in: stack.places)
  }

  func isForced(_ key: String, _ name: String) -> Bool {
    stack.process.stack(of: domain(name), in: stack.places).isForced(key)
  }
}
