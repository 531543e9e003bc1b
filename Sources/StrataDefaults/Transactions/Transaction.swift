import StrataDomains
public import StrataPropertyList
import StrataStorage

/// Values that are read and set atomically.
extension UserDefaultsTypes {
  /// Values that are read and set together: see ``UserDefaults/transaction(_:)``.
  public struct Transaction {
    private let stack: Stack
    private var known: [String: PropertyListValue]?
    private var changed: [String: PropertyListValue?] = [:]
    private var read: [String: PropertyListValue?] = [:]
    /// The set values that typed keys could not read.
    private var unreadable: [String: Mismatch] = [:]
    /// Every stored value that a typed key could not read.
    private(set) var mismatches: [Mismatch] = []
    private(set) var refusal: DefaultsError?

    init(on stack: Stack) { self.stack = stack }

    /// The value of a key, which may have been set in this transaction before.
    public subscript<Value>(key: Key<Value>) -> Value {
      mutating get {
        guard let stored = self[key.name] else { return key.defaultValue }
        if let value = key.value(of: stored) { return value }
        if changed[key.name] == nil {
          let mismatch = Mismatch(key, stored, Value.self)
          mismatches.append(mismatch)
          if ownValue(key.name) != nil { unreadable[key.name] = mismatch }
        }
        return key.defaultValue
      }
      set {
        do throws(DefaultsError) {
          changed[key.name] = .some(try UserDefaults.stored(newValue, key))
        } catch {
          refusal = refusal ?? error
        }
      }
    }

    /// The value of a key without a type. Setting nil removes it.
    public subscript(name: String) -> PropertyListValue? {
      mutating get {
        KeyRecorder.recordRead(of: name, in: stack)
        if let value = changed[name], let value { return value }
        let own = changed[name] == nil ? ownValue(name) : nil
        return own ?? stack.valueBelowOwn(name)
      }
      set { changed[name] = .some(newValue) }
    }

    /// The value that was set for a key, without those of the next domains.
    mutating func ownValue(_ name: String) -> PropertyListValue? {
      if let value = changed[name] { return value }
      // All as of one moment: no closure sees half of another transaction.
      let values = known ?? stack.own.snapshot().values
      known = values
      read[name] = .some(values[name])
      return values[name]
    }

    /// Keeps the values that keys could not read and that are replaced.
    /// - Returns: what is kept, and under which keys.
    mutating func keepUnreadable() throws(DefaultsError) -> [Mismatch] {
      var kept: [Mismatch] = []
      for name in KeyOrder.ascending(Array(unreadable.keys)) {
        guard let mismatch = unreadable[name], let new = changed[name], new != mismatch.stored
        else { continue }
        var draft = self
        let value = try KeptValue(mismatch.stored, of: name) { draft.ownValue($0) }
        self = draft
        if value.before == nil { changed[value.name] = .some(value.value) }
        kept.append(mismatch.kept(under: value.name))
      }
      return kept
    }

    /// The changes, in a deterministic order.
    var changes: [Change] {
      KeyOrder.ascending(Array(changed.keys)).map { Change(key: $0, value: changed[$0] ?? nil) }
    }

    /// The values that must still be set when the changes are applied.
    var expected: [Change] { read.map { Change(key: $0.key, value: $0.value) } }
  }
}
