import Foundation
import StrataDomains
import StrataStorage

/// The running program's own domain, and what all objects of the process share.
enum Application {
  // Safety: guarded by `lock`.
  nonisolated(unsafe) private static var chosen: String?
  nonisolated(unsafe) private static var decided: DomainIdentifier?
  private static let lock = Lock(.domains)

  private static let shared = DomainProcess.ofProgram(
    VolatileDomains(arguments: ArgumentDomain.current(), languages: LanguageDomain.store()))

  /// The running process; in task trees with temporary settings, one without files.
  static var process: DomainProcess { TemporarySettings.current?.stack.process ?? shared }

  /// The program's identifier, which is determined at the first use and then constant.
  static var identifier: DomainIdentifier {
    lock.withLock {
      if let decided { return decided }
      let found = candidate { Log.write($0.description) }
      decided = found
      return found
    }
  }

  /// The identifier as it would be determined now. It can still be set: this is for settings in
  /// memory, where the name is of no consequence.
  static var provisionalIdentifier: DomainIdentifier {
    lock.withLock { decided ?? candidate { _ in } }
  }

  private static func candidate(refuse: (DomainIdentifierError) -> Void) -> DomainIdentifier {
    shared.surroundings.applicationIdentifier(
      bundleIdentifier: chosen ?? bundleIdentifier, refuse: refuse)
  }

  private static var bundleIdentifier: String? {
    ThisProcess.mayHaveBundle(shared.surroundings.executable) ? Bundle.main.bundleIdentifier : nil
  }

  /// Sets the identifier.
  /// - Returns: false if another one is in use already.
  static func setIdentifier(_ text: String) throws(DomainIdentifierError) -> Bool {
    let identifier = try ApplicationIdentifier.parse(text)
    return lock.withLock {
      guard decided == nil || decided == identifier else { return false }
      chosen = text
      return true
    }
  }

  static var stack: Stack { TemporarySettings.current?.stack ?? shared.stack(of: identifier) }

  /// Nil, with a line in the log, if the name can't be that of a suite.
  static func stack(ofSuite name: String?) -> Stack? {
    guard let name else { return stack }
    do throws(DomainIdentifierError) {
      let suite = try domain(name)
      if suite == .global {
        return refuse(name, "all programs share the global domain; every object searches it anyway")
      }
      // With temporary settings, the program's own name can still be chosen.
      if suite == TemporarySettings.current?.stack.identifier ?? identifier {
        return refuse(name, "it is this program's own; use UserDefaults.standard")
      }
      return process.stack(of: suite)
    } catch {
      Log.write(error.description)
      return nil
    }
  }

  static func stack(ofUser name: String) -> Stack? {
    guard let places = Places(userNamed: name, in: process.surroundings) else { return nil }
    return process.stack(of: identifier, in: places)
  }

  static func domain(_ name: String) throws(DomainIdentifierError) -> DomainIdentifier {
    try DomainIdentifier(name, isSetUID: process.surroundings.isSetUID)
  }

  private static func refuse(_ name: String, _ reason: String) -> Stack? {
    Log.write("UserDefaults(suiteName: \(name.debugDescription)) is nil: \(reason)")
    return nil
  }
}
