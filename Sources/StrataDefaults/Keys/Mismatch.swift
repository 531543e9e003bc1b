public import StrataPropertyList
import StrataStorage

/// Hearing of stored values that are none of their keys.
extension UserDefaults {
  /// A stored value that a key can't have: of another type, one that no longer decodes, or one that
  /// its range or choices do not allow.
  public struct Mismatch: Sendable, CustomStringConvertible {
    /// The key.
    public let key: Keys
    /// What is stored, and stays stored.
    public let stored: PropertyListValue
    /// The type that the key has.
    public let type: any Any.Type

    init(_ key: Keys, _ stored: PropertyListValue, _ type: any Any.Type) {
      self.key = key
      self.stored = stored
      self.type = type
    }

    /// What a person should read; without the value, where the key says so.
    public var description: String {
      let value = key.isRedacted ? "a value" : "\(stored)".prefix(200)
      return "\(key.name): what is stored is no \(type) that the key allows: \(value); the default "
        + "is read, and what is stored is kept"
    }
  }

  /// Has `handler` called, instead of a line in the log, when this object reads a value that is
  /// none of its key's; once for each value that is found.
  ///
  /// ```swift
  /// defaults.onMismatch { mismatch in logger.warning("\(mismatch)") }
  /// ```
  public func onMismatch(_ handler: (@Sendable (Mismatch) -> Void)?) {
    mismatches.hand(to: handler)
  }
}

/// Who hears of mismatches, and which were told.
final class MismatchReports: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var handler: (@Sendable (UserDefaults.Mismatch) -> Void)?
  private var told: [String: PropertyListValue] = [:]
  private let lock = Lock(.memory)

  /// What was told before may be told again.
  func hand(to handler: (@Sendable (UserDefaults.Mismatch) -> Void)?) {
    lock.withLock {
      self.handler = handler
      told.removeAll()
    }
  }

  func report(_ mismatch: UserDefaults.Mismatch) {
    let (isNew, handler) = lock.withLock {
      let old = told.updateValue(mismatch.stored, forKey: mismatch.key.name)
      return (old != mismatch.stored, self.handler)
    }
    guard isNew else { return }
    if let handler { handler(mismatch) } else { Log.write(mismatch.description) }
  }
}
