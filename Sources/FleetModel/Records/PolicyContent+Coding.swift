import StrataDomains
package import StrataPropertyList
import StrataStorage

/// The form of a policy's content in the store, and in the files that administrators keep.
///
/// Keys and values are in a dictionary for each level, `forced`, `recommended` and `once`. Whatever
/// else is said of a key is beside them: `enforced` (an array of keys), `until` (dates by key) and
/// `reasons` (texts by key). `priority` is an integer.
extension PolicyContent {
  package var encoded: [String: PropertyListValue] {
    var result: [String: PropertyListValue] = [:]
    for level in PolicyEntry.Level.allCases {
      let values = entries.filter { $0.value.level == level }.mapValues(\.value)
      if !values.isEmpty { result[level.rawValue] = .dictionary(values) }
    }
    let enforced = KeyOrder.ascending(entries.filter(\.value.isEnforced).map(\.key))
    let until = entries.compactMapValues(\.until).mapValues { PropertyListValue.date($0) }
    let reasons = entries.compactMapValues(\.reason).mapValues { PropertyListValue.string($0) }
    if !enforced.isEmpty { result["enforced"] = .array(enforced.map { .string($0) }) }
    if !until.isEmpty { result["until"] = .dictionary(until) }
    if !reasons.isEmpty { result["reasons"] = .dictionary(reasons) }
    if priority != 0 { result["priority"] = .integer(priority) }
    return result
  }

  /// What the entries say, as far as they are valid, and what is wrong with the rest.
  package static func decode(
    _ entries: [String: PropertyListValue], for layer: PolicyLayer, at place: String
  ) -> (content: PolicyContent, problems: [FleetProblem]) {
    var fields = Fields(entries, at: place)
    let content = take(from: &fields, for: layer)
    return (content, fields.finished())
  }

  static func take(from fields: inout Fields, for layer: PolicyLayer) -> PolicyContent {
    var content = PolicyContent(priority: fields.integer("priority") ?? 0)
    var refused: Set<String> = []
    for level in PolicyEntry.Level.allCases {
      for (key, value) in KeyOrder.sorted(fields.dictionary(level.rawValue) ?? [:]) {
        if level == .recommended, layer.kind == .user {
          fields.report(
            "\(key) is recommended, which a policy for a user can't do; make it forced or once, or "
              + "recommend it in a policy for all, os, group or host")
          refused.insert(key)
        } else if let reason = Self.refusal(key, value) {
          fields.report("the value of \(key) can't be used: \(reason)")
          refused.insert(key)
        } else if let other = content.entries[key] {
          fields.report("\(key) is both \(other.level.rawValue) and \(level.rawValue)")
        } else {
          content.entries[key] = PolicyEntry(value, level)
        }
      }
    }
    content.takeDetails(from: &fields, refused)
    return content
  }

  /// - Parameter refused: the keys whose values were left out, which was reported.
  private mutating func takeDetails(from fields: inout Fields, _ refused: Set<String>) {
    for key in fields.texts("enforced") ?? [] where !refused.contains(key) {
      set(key, &fields) { $0.isEnforced = true }
    }
    for (key, value) in KeyOrder.sorted(fields.dictionary("until") ?? [:]) {
      guard let date = Fields.date(value), date.secondsSinceReference.isFinite else {
        // Without its end, the value would apply for ever.
        entries[key] = nil
        fields.report("until: the entry \(key) is not a date, so the key is left out")
        continue
      }
      if refused.contains(key) { continue }
      set(key, &fields) { $0.until = date }
    }
    for (key, text) in fields.textsByKey("reasons").sorted(by: { $0.key < $1.key })
    where !refused.contains(key) {
      set(key, &fields) { $0.reason = text }
    }
  }

  private mutating func set(
    _ key: String, _ fields: inout Fields, _ body: (inout PolicyEntry) -> Void
  ) {
    guard var entry = entries[key] else {
      return fields.report("there is no value for the key \(key), of which more is said")
    }
    body(&entry)
    entries[key] = entry
  }

  /// Deeper values could not be shown everywhere.
  package static let depthMax = 64

  private static func refusal(_ key: String, _ value: PropertyListValue) -> String? {
    if key.isEmpty { return "a key is not empty" }
    if let reason = Limits.refusal(key: key) { return reason }
    return isDeeper(value, than: depthMax)
      ? "it has more than \(depthMax) levels of arrays and dictionaries" : nil
  }

  private static func isDeeper(_ value: PropertyListValue, than limit: Int) -> Bool {
    guard limit >= 0 else { return true }
    return switch value {
    case .array(let items): items.contains { isDeeper($0, than: limit - 1) }
    case .dictionary(let items): items.values.contains { isDeeper($0, than: limit - 1) }
    default: false
    }
  }
}
