import StrataDomains
import StrataPropertyList

/// The other side of preferences: not one place, but all that are searched.
extension Preferences {
  /// What counts for an application: the first value in its search list.
  ///
  /// ```swift
  /// let settings = try Preferences.Search("com.example.app")
  /// let isKiosk = settings.boolean(forKey: "KioskMode") ?? false
  /// ```
  public struct Search: Sendable {
    private let stack: Stack

    /// The search list of an application or suite; without an identifier, of the running program.
    ///
    /// - Throws: when the identifier can't be one.
    public init(_ identifier: String? = nil) throws(DefaultsError) {
      self.init(Application.process.stack(of: try Preferences.domain(identifier)))
    }

    init(_ stack: Stack) { self.stack = stack }

    /// The value that counts.
    public func value(forKey key: String) -> Any? {
      stack.value(forKey: key).map(Bridge.object)
    }

    /// Whether an administrator decides the value of a key.
    public func isForced(_ key: String) -> Bool { stack.isForced(key) }

    /// The value if there is one that is a Boolean: one itself, a number, of which only 0 is false,
    /// or one of the texts `true`, `yes` and `1`, `false`, `no` and `0`, in any case.
    public func boolean(forKey key: String) -> Bool? {
      let value = stack.value(forKey: key)
      switch value {
      case .string(let text):
        return switch text.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: nil
        }
      case .boolean, .integer, .unsigned, .real, .single: return value.boolValue
      default: return nil
      }
    }

    /// The value if there is one that is an integer: a number without a fraction, or a text that
    /// is one as a whole.
    public func integer(forKey key: String) -> Int? {
      switch stack.value(forKey: key) {
      case .integer(let number): Int(exactly: number)
      case .unsigned(let number): Int(exactly: number)
      case .real(let number): Int(exactly: number)
      case .single(let number): Int(exactly: number)
      case .string(let text): Int(text)
      default: nil
      }
    }
  }
}
