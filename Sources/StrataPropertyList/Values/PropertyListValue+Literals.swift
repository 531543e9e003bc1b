/// Values as literals, such as `["Theme": "dark", "Size": 12]`.
extension PropertyListValue: ExpressibleByStringLiteral {
  /// A string.
  public init(stringLiteral text: String) { self = .string(text) }
}

extension PropertyListValue: ExpressibleByBooleanLiteral {
  /// A Boolean.
  public init(booleanLiteral flag: Bool) { self = .boolean(flag) }
}

extension PropertyListValue: ExpressibleByIntegerLiteral {
  /// An integer.
  public init(integerLiteral number: Int64) { self = .integer(number) }
}

extension PropertyListValue: ExpressibleByFloatLiteral {
  /// A real.
  public init(floatLiteral number: Double) { self = .real(number) }
}

extension PropertyListValue: ExpressibleByArrayLiteral {
  /// An array.
  public init(arrayLiteral elements: PropertyListValue...) { self = .array(elements) }
}

extension PropertyListValue: ExpressibleByDictionaryLiteral {
  /// A dictionary; if a key is repeated, its last value counts.
  public init(dictionaryLiteral entries: (String, PropertyListValue)...) {
    self = .dictionary(Dictionary(entries) { $1 })
  }
}
