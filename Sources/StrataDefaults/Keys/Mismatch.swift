public import StrataPropertyList

/// Hearing of stored values that are none of their keys.
extension UserDefaults {
  /// A stored value that a key can't have: of another type, one that no longer decodes, or one that
  /// its range or choices do not allow.
  public struct Mismatch: Sendable, CustomStringConvertible {
    /// The key.
    public let key: Keys
    /// What is stored, and stays stored; or was, where `keptUnder` says where it is now.
    public let stored: PropertyListValue
    /// The type that the key has.
    public let type: any Any.Type
    /// The name under which the same domain has the value now, since `update` or a transaction put
    /// another one in its place; nil where nothing was replaced.
    public let keptUnder: String?

    init(
      _ key: Keys, _ stored: PropertyListValue, _ type: any Any.Type, keptUnder: String? = nil
    ) {
      self.key = key
      self.stored = stored
      self.type = type
      self.keptUnder = keptUnder
    }

    func kept(under name: String) -> Mismatch {
      Mismatch(key, stored, type, keptUnder: name)
    }

    /// What a person should read; without the value, where the key says so.
    public var description: String {
      let value = key.isRedacted ? "a value" : "\(stored)".prefix(200)
      let end =
        keptUnder.map { "another value was set, and what was stored is kept under the key \($0)" }
        ?? "the default is read, and what is stored is kept"
      return "\(key.name): what is stored is no \(type) that the key allows: \(value); \(end)"
    }
  }

  /// Has `handler` called, instead of a line in the log, when this object reads a value that is
  /// none of its key's; once for each value that is found, and once more where an update replaces
  /// it and keeps it under another key.
  ///
  /// ```swift
  /// defaults.onMismatch { mismatch in logger.warning("\(mismatch)") }
  /// ```
  public func onMismatch(_ handler: (@Sendable (Mismatch) -> Void)?) {
    guard let handler else { return mismatches.setHandler(nil) }
    mismatches.setHandler { report in
      if let mismatch = report as? Mismatch { handler(mismatch) }
    }
  }

  func report(_ mismatch: Mismatch) {
    mismatches.report(
      mismatch, of: mismatch.stored, forKey: mismatch.key.name,
      isAgain: mismatch.keptUnder != nil)
  }
}
