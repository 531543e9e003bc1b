import StrataDomains
import StrataPropertyList
import StrataStorage

/// A stored value that a key could not read, kept when it is replaced: in the same domain, under a
/// name that begins with the key's, so that people find it beside the new one.
struct KeptValue {
  /// The name under which it is kept.
  let name: String
  let value: PropertyListValue
  /// The value under that name so far: the same one, or nil.
  let before: PropertyListValue?

  private static let suffix = ".undecodable"
  private static let countMax = 100

  /// Keeps `value`, which is stored under `key`, where it is kept already, or else under the first
  /// free name.
  init(
    _ value: PropertyListValue, of key: String, _ stored: (String) -> PropertyListValue?
  ) throws(DefaultsError) {
    let names = (1...Self.countMax).lazy.map { key + Self.suffix + ($0 == 1 ? "" : "-\($0)") }
    for name in names {
      if let reason = Limits.refusal(key: name) {
        throw DefaultsError(key: key, reason: "\(Self.complaint(key)): \(reason)")
      }
      let before = stored(name)
      guard before == nil || before == value else { continue }
      self.name = name
      self.value = value
      self.before = before
      return
    }
    throw DefaultsError(
      key: key,
      reason: "\(Self.complaint(key)): \(Self.countMax) undecodable values are already kept, under "
        + "\(key)\(Self.suffix) and similar keys; remove those that are no longer needed")
  }

  private static func complaint(_ key: String) -> String {
    "\(key): the stored value was not replaced, because it can be neither decoded nor kept"
  }

  var change: Change { Change(key: name, value: value) }
  var expected: Change { Change(key: name, value: before) }
}
