import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage

/// Settings from environment variables.
extension UserDefaults {
  /// The volatile domain of settings from the environment. It exists if ``environmentPrefix`` is
  /// set.
  @_disfavoredOverload
  public static let environmentDomain = VolatileDomains.environmentName

  /// The prefix of environment variables that are settings; nil, the initial value, for none.
  ///
  /// ```swift
  /// UserDefaults.environmentPrefix = "MYAPP_"
  /// ```
  ///
  /// The rest of a variable's name is the key: with `MYAPP_FontSize=20`, `FontSize` is 20, unless
  /// the command line or an administrator overrides it. Values are parsed as on the command line.
  /// The environment is read when this is set.
  @_disfavoredOverload
  public static var environmentPrefix: String? {
    get { EnvironmentPrefix.current }
    set {
      EnvironmentPrefix.current = newValue
      let values = newValue.map {
        EnvironmentPrefix.values(in: ProcessInfo.processInfo.environment, after: $0)
      }
      standard.searchEnvironment(values)
    }
  }

  func searchEnvironment(_ values: [String: PropertyListValue]?) {
    didChange(notifying: stack.process.setEnvironment(values, by: self))
  }
}

/// Which variables of the environment are settings.
enum EnvironmentPrefix {
  // Safety: guarded by `lock`.
  nonisolated(unsafe) private static var chosen: String?
  private static let lock = Lock(.memory)

  static var current: String? {
    get { lock.withLock { chosen } }
    set { lock.withLock { chosen = newValue } }
  }

  static func values(
    in environment: [String: String], after prefix: String
  ) -> [String: PropertyListValue] {
    environment.reduce(into: [:]) { values, variable in
      guard variable.key.hasPrefix(prefix) else { return }
      let key = String(variable.key.dropFirst(prefix.count))
      if !key.isEmpty { values[key] = ArgumentValue.value(of: variable.value) }
    }
  }
}
