package import StrataPropertyList

extension PropertyListValue {
  /// Where two values first differ, as a path and both sides; nothing when they are equal.
  package func difference(from other: PropertyListValue) -> String? {
    guard self != other else { return nil }
    switch (self, other) {
    case (.array(let left), .array(let right)) where left.count == right.count:
      return zip(left, right).enumerated().lazy.compactMap { position, pair in
        pair.0.difference(from: pair.1).map { "\(position).\($0)" }
      }.first
    case (.dictionary(let left), .dictionary(let right)) where left.count == right.count:
      return left.lazy.compactMap { key, value in
        guard let match = right[key] else { return "\(key.debugDescription) is missing" }
        return value.difference(from: match).map { "\(key.debugDescription).\($0)" }
      }.first
    default:
      return "\(self) is not \(other)"
    }
  }
}
