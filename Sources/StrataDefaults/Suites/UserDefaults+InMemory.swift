import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage

/// Settings in memory, for tests.
extension UserDefaults {
  /// Settings in memory, with everything that others have (a search list, registered values,
  /// arguments, suites, observers, notifications), but without a file, a thread, or a line in the
  /// log.
  ///
  /// ```swift
  /// @Test func darkness() {
  ///   let defaults = UserDefaults.inMemory(["Theme": "dark"])
  ///   #expect(Model(defaults).isDark)
  /// }
  /// ```
  ///
  /// They share nothing with others, so that hundreds of tests can run at once.
  /// - Parameters:
  ///   - values: the values that are set at the start.
  ///   - registered: the values that are registered at the start.
  ///   - arguments: a command line, as in `["-Theme", "dark"]`.
  @_disfavoredOverload
  public static func inMemory(
    _ values: [String: Any] = [:], registered: [String: Any] = [:], arguments: [String] = []
  ) -> UserDefaults {
    let arguments = ArgumentDomain.parse(arguments)
    let languages = MemoryStore(keys: LanguageDomain.forEachKey) {
      LanguageDomain.values(
        chosen: arguments["AppleLanguages"]?.stringArrayValue ?? [],
        environment: ProcessInfo.processInfo.environment)
    }
    let process = DomainProcess(
      .nowhere, VolatileDomains(arguments: arguments, languages: languages), isInMemory: true)
    let defaults = UserDefaults(on: process.stack(of: Application.provisionalIdentifier))
    process.volatile.register(defaults.propertyLists(registered))
    let changes = defaults.propertyLists(values).map { Change(key: $0.key, value: $0.value) }
    do throws(StorageError) {
      try defaults.stack.own.apply(ChangeSet(changes))
    } catch {
      fatalError(error.description)
    }
    return defaults
  }
}

extension ProcessSurroundings {
  /// A process without files.
  static let nowhere = ProcessSurroundings(
    environment: [:], userID: 0, user: .known(nil), isSetUID: false,
    host: HostIdentifier(of: "memory"), executableName: "memory")
}
