import DefaultsCommand
import FleetModel
import StrataPropertyList

/// A policy's content as a domain, so that the difference of two is printed as that of two domains.
enum ContentNotation {
  static func difference(
    from old: PolicyContent?, to new: PolicyContent?
  ) -> Difference {
    Difference(from: lines(old), to: lines(new))
  }

  /// Each key, with what is said of it besides its value: `FontSize (recommended)`.
  private static func lines(_ content: PolicyContent?) -> [String: PropertyListValue] {
    guard let content else { return [:] }
    var lines: [String: PropertyListValue] = [:]
    for (key, entry) in content.entries {
      let details = details(entry)
      let label = details.isEmpty ? key : "\(key) (\(details.joined(separator: ", ")))"
      lines[label] = entry.value
    }
    if content.priority != 0 { lines["(priority)"] = .integer(content.priority) }
    return lines
  }

  /// What differs from a value that is forced for ever.
  private static func details(_ entry: PolicyEntry) -> [String] {
    var details: [String] = []
    if entry.level != .forced { details.append(entry.level.rawValue) }
    if entry.isEnforced { details.append("enforced") }
    if let until = entry.until { details.append("until \(Shown.date(until))") }
    if let reason = entry.reason { details.append("reason: \(reason)") }
    return details
  }

  private static func json(_ entry: PolicyEntry) -> PropertyListValue {
    var json: [String: PropertyListValue] = [
      "value": entry.value, "level": .string(entry.level.rawValue),
      "enforced": .boolean(entry.isEnforced),
    ]
    json["until"] = entry.until.map { .string(Shown.date($0)) }
    json["reason"] = entry.reason.map { .string($0) }
    return .dictionary(json)
  }

  /// The keys whose entries differ, as objects with `old` and `new`.
  static func json(from old: PolicyContent?, to new: PolicyContent?) -> PropertyListValue {
    let (old, new) = (old?.entries ?? [:], new?.entries ?? [:])
    var json: [String: PropertyListValue] = [:]
    for key in Set(old.keys).union(new.keys) where old[key] != new[key] {
      var sides: [String: PropertyListValue] = [:]
      sides["old"] = old[key].map(Self.json)
      sides["new"] = new[key].map(Self.json)
      json[key] = .dictionary(sides)
    }
    return .dictionary(json)
  }
}
