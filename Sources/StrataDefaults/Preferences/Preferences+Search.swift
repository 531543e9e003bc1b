import StrataDomains
import StrataPropertyList

/// Effective preferences: the values found by searching all places.
extension Preferences {
  /// The effective values of an application: of each key the first value in its search list.
  ///
  /// ```swift
  /// let settings = try Preferences.Search("com.example.app")
  /// let isKiosk = settings.boolean(forKey: "KioskMode") ?? false
  /// ```
  public struct Search: Sendable {
    private let stack: Stack

    /// The search list of an application or suite; without an identifier, of the running program.
    ///
    /// - Throws: if the identifier is not valid.
    public init(_ identifier: String? = nil) throws(DefaultsError) {
      self.init(Application.process.stack(of: try Preferences.domain(identifier)))
    }

    init(_ stack: Stack) { self.stack = stack }

    /// The effective value of a key.
    public func value(forKey key: String) -> Any? {
      stack.value(forKey: key).map(Bridge.object)
    }

    /// Whether an administrator enforces the value of a key.
    public func isForced(_ key: String) -> Bool { stack.isForced(key) }

    /// The value if it can be read as a Boolean: a Boolean, a number, of which only 0 is false, or
    /// one of the texts `true`, `yes`, `1`, `false`, `no` and `0`, ignoring case.
    public func boolean(forKey key: String) -> Bool? {
      let value = stack.value(forKey: key)
      switch value {
      case .string(let text): return BooleanText.value(of: text)
      case .boolean, .integer, .unsigned, .real, .single: return value.boolValue
      default: return nil
      }
    }

    /// The value if it can be read as an integer: a number without a fraction, or the text of an
    /// integer.
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
