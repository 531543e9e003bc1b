public import StrataPropertyList

/// Stored values that a key can't read.
extension UserDefaultsTypes {
  /// A stored value that a key can't read: it has another type, can't be decoded, or is not allowed
  /// by the key's range or choices.
  public struct Mismatch: Sendable, CustomStringConvertible {
    /// The key.
    public let key: Keys
    /// The stored value. It stays stored, under another name if `keptUnder` is not nil.
    public let stored: PropertyListValue
    /// The type of the key's values.
    public let type: any Any.Type
    /// The key under which the same domain keeps the value now, since `update` or a transaction has
    /// replaced it; nil if it was not replaced.
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

    /// A message for people. Leaves out the value if the key is redacted.
    public var description: String {
      let value = key.isRedacted ? "a value" : shown.prefix(200)
      let end =
        keptUnder.map { "another value was set, and the stored one is kept under the key \($0)" }
        ?? "using the default, stored value kept"
      let wanted = ["\(type)", key.allowed].compactMap(\.self).joined(separator: ", ")
      return "\(key.name): \(value) is stored, but the key allows \(wanted); \(end)"
    }

    private var shown: String {
      switch stored {
      case .boolean(let value): "\(value)"
      case .integer(let value): "\(value)"
      case .unsigned(let value): "\(value)"
      case .real(let value): "\(value)"
      case .string(let value): value.debugDescription
      case .single, .array, .dictionary, .data, .date, .uid: "\(stored)"
      }
    }
  }
}

extension UserDefaults {
  /// Calls `handler`, instead of writing to the log, when this object finds a value that its key
  /// can't read: once for each such value, and once more if an update replaces it and keeps it
  /// under another key.
  ///
  /// ```swift
  /// defaults.onMismatch { mismatch in logger.warning("\(mismatch)") }
  /// ```
  @_disfavoredOverload
  public func onMismatch(_ handler: (@Sendable (Mismatch) -> Void)?) {
    guard let handler else { return mismatches.setHandler(nil) }
    mismatches.setHandler { report in
      if let mismatch = report as? Mismatch { handler(mismatch) }
    }
  }

  func report(_ mismatch: Mismatch) { mismatches.report(mismatch) }
}

extension MismatchReports {
  func report(_ mismatch: UserDefaults.Mismatch) {
    report(
      mismatch, of: mismatch.stored, forKey: mismatch.key.name,
      isAgain: mismatch.keptUnder != nil)
  }
}
