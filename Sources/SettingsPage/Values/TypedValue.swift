import StrataDomains
import StrataPropertyList

/// Values as the page sends and gets them: each with its type, so that nothing is lost on the way.
extension JSON {
  init(_ value: PropertyListValue?) {
    guard let value else {
      self = .null
      return
    }
    switch value {
    case .boolean(let flag): self = Self.typed("boolean", .flag(flag))
    case .integer(let number): self = Self.typed("integer", .text(String(number)))
    case .unsigned(let number): self = Self.typed("integer", .text(String(number)))
    case .real(let number): self = Self.typed("real", .text(Self.text(of: number)))
    case .single(let number): self = Self.typed("real", .text(Self.text(of: number)))
    case .string(let text): self = Self.typed("string", .text(text))
    case .date(let date): self = Self.typed("date", .text(date.isoText ?? date.distanceText))
    case .data(let bytes):
      self = Self.typed("data", .text(String(decoding: Base64.text(of: bytes[...]), as: UTF8.self)))
    case .array(let elements): self = Self.typed("array", .list(elements.map { JSON($0) }))
    case .dictionary(let entries):
      self = Self.typed("dictionary", .object(entries.mapValues { JSON($0) }))
    case .uid(let number): self = Self.typed("uid", .text(String(number)))
    }
  }

  /// The shortest text that stands for exactly this number.
  static func text(of number: some BinaryFloatingPoint & LosslessStringConvertible) -> String {
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private static func typed(_ type: String, _ value: JSON) -> JSON {
    .object(["type": .text(type), "value": value])
  }
}

extension PropertyListValue {
  /// What a typed value from the page stands for.
  /// - Throws: what is wrong with it.
  init(typed: PropertyListValue?) throws(Malformed) {
    guard case .dictionary(let entries)? = typed, case .string(let type)? = entries["type"],
      let value = entries["value"]
    else { throw Malformed("a value needs a type and a value") }
    self = try Self.value(value, ofType: type)
  }

  private static func value(
    _ value: PropertyListValue, ofType type: String
  ) throws(Malformed) -> PropertyListValue {
    switch (type, value) {
    case ("boolean", .boolean): return value
    case ("string", .string): return value
    case ("array", .array(let elements)):
      var values: [PropertyListValue] = []
      for element in elements { values.append(try PropertyListValue(typed: element)) }
      return .array(values)
    case ("dictionary", .dictionary(let entries)):
      var values: [String: PropertyListValue] = [:]
      for (key, entry) in entries { values[key] = try PropertyListValue(typed: entry) }
      return .dictionary(values)
    case (_, .string(let text)):
      if let value = scalar(text, ofType: type) { return value }
      throw Malformed("\(text.prefix(80).debugDescription) is not \(name(of: type))")
    default: throw Malformed("the value is not \(name(of: type))")
    }
  }

  private static func scalar(_ text: String, ofType type: String) -> PropertyListValue? {
    switch type {
    case "integer": Int64(text).map { .integer($0) } ?? UInt64(text).map { .unsigned($0) }
    case "real": real(text).map { .real($0) }
    case "date":
      (PropertyListDate(distanceText: text) ?? DateNotation.date(text)).map { .date($0) }
    case "data": Base64.bytes(of: text).map { .data($0) }
    default: nil
    }
  }

  static func real(_ text: String) -> Double? {
    switch text {
    case "nan": .nan
    case "inf": .infinity
    case "-inf": -.infinity
    default: NumericText.whole(text, as: Double.self)
    }
  }

  private static func name(of type: String) -> String {
    switch type {
    case "boolean": "a Boolean"
    case "integer": "a whole number of at most 64 bits"
    case "real": "a number"
    case "string": "a string"
    case "date": "a date, such as 2026-01-31T12:00:00Z"
    case "data": "Base64"
    case "array": "an array"
    case "dictionary": "a dictionary"
    default: "of a type that can be stored"
    }
  }
}

/// Dates that are not finite or out of range, as `2001-01-01T00:00:00Z+1700000000000000s`.
extension PropertyListDate {
  private static let (start, end) = ("2001-01-01T00:00:00Z", "s")

  var distanceText: String {
    let seconds = JSON.text(of: secondsSinceReference)
    return Self.start + (seconds.hasPrefix("-") ? "" : "+") + seconds + Self.end
  }

  init?(distanceText text: String) {
    guard text.hasPrefix(Self.start), text.hasSuffix(Self.end) else { return nil }
    let distance = text.dropFirst(Self.start.count).dropLast(Self.end.count)
    let number = distance.hasPrefix("+") ? distance.dropFirst() : distance
    guard let seconds = PropertyListValue.real(String(number)) else { return nil }
    self.init(secondsSinceReference: seconds)
  }
}

/// What is wrong with what the page sent.
struct Malformed: Error {
  let text: String
  init(_ text: String) { self.text = text }
}

extension PropertyListDate {
  /// As `2020-01-01T00:00:00.25Z`; nil if it is not finite or out of range.
  var isoText: String? {
    let whole = secondsSinceReference.rounded(.down)
    guard let text = PropertyListDate(secondsSinceReference: whole).text else { return nil }
    let parts = text.split(separator: " ")
    let rest = RealText.text(of: secondsSinceReference - whole, digits: 6)
    let fraction = rest.hasPrefix("0.") ? rest.dropFirst() : ""
    return "\(parts[0])T\(parts[1])\(fraction)Z"
  }
}
