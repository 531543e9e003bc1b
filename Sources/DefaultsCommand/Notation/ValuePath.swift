import StrataPropertyList

/// Leads to a value inside a domain: a key, then keys of dictionaries and positions in arrays.
///
/// `Window.Size.0` is the first element of the array `Size` in the dictionary `Window`. A backslash
/// precedes a dot or a backslash that is part of a key.
struct ValuePath: Hashable, Sendable {
  /// The key in the domain.
  let key: String
  /// What follows it.
  let rest: [String]

  /// The whole value of a key, whatever characters the key has.
  init(key: String) {
    self.key = key
    rest = []
  }

  init(parsing text: String) throws(Failure) {
    let parts = try Self.parts(of: text)
    guard parts.count <= PropertyListLimits.nesting else {
      throw Failure("the path has more than \(PropertyListLimits.nesting) parts")
    }
    key = parts[0]
    rest = Array(parts.dropFirst())
  }

  /// The parts of a path as it is typed; at least one.
  static func parts(of text: String) throws(Failure) -> [String] {
    if text.isEmpty { throw Failure("the path is empty; write a key, and parts after dots") }
    var parts = [""]
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped {
        parts[parts.count - 1].unicodeScalars.append(scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == "." {
        parts.append("")
      } else {
        parts[parts.count - 1].unicodeScalars.append(scalar)
      }
    }
    if isEscaped { throw Failure("the path \(text) ends with a backslash; write two for one") }
    guard !parts.contains("") else {
      throw Failure("the path \(text) has an empty part; write \\. for a dot in a key")
    }
    return parts
  }

  /// A key as a part of a path.
  static func part(_ key: String) -> String {
    var text = ""
    for scalar in key.unicodeScalars {
      if scalar == "." || scalar == "\\" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
    return text
  }

  /// As it is typed.
  var text: String { rest.isEmpty ? key : text(upTo: rest.count) }

  /// The path without the parts from this one on.
  private func text(upTo position: Int) -> String {
    ([key] + rest.prefix(position)).map(Self.part).joined(separator: ".")
  }

  // -- Reading

  /// The value at this path in the value of the key.
  func value(in root: PropertyListValue) throws(Failure) -> PropertyListValue {
    var value = root
    for (position, part) in rest.enumerated() {
      switch value {
      case .dictionary(let entries):
        guard let entry = entries[part] else {
          throw missing("\(text(upTo: position)) has no key \(part.debugDescription)")
        }
        value = entry
      case .array(let elements):
        let index = try index(part, position, in: elements, missing)
        guard index < elements.count else {
          throw missing("\(text(upTo: position)) has \(Self.count(elements)), no \(index)")
        }
        value = elements[index]
      default: throw missing(noParts(value, position))
      }
    }
    return value
  }

  // -- Changing

  /// The value of the key after the value at this path was replaced. Dictionaries that do not exist
  /// are created; an array grows by the position after its last element.
  /// - Parameter edit: makes the new value from the old one; nil for none.
  func changing(
    _ root: PropertyListValue?,
    _ edit: (PropertyListValue?) throws(Failure) -> PropertyListValue?
  ) throws(Failure) -> PropertyListValue? {
    try changing(root, 0, edit)
  }

  private func changing(
    _ value: PropertyListValue?, _ position: Int,
    _ edit: (PropertyListValue?) throws(Failure) -> PropertyListValue?
  ) throws(Failure) -> PropertyListValue? {
    guard position < rest.count else { return try edit(value) }
    let part = rest[position]
    switch value {
    case nil, .dictionary:
      var entries: [String: PropertyListValue] = [:]
      if case .dictionary(let old) = value { entries = old }
      entries[part] = try changing(entries[part], position + 1, edit)
      return .dictionary(entries)
    case .array(var elements):
      let index = try index(part, position, in: elements, unwritable)
      guard index <= elements.count else {
        throw unwritable("\(text(upTo: position)) has \(Self.count(elements)), no \(index)")
      }
      let old = index < elements.count ? elements[index] : nil
      let new = try changing(old, position + 1, edit)
      elements.replaceSubrange(
        index..<(old == nil ? index : index + 1), with: [new].compactMap { $0 })
      return .array(elements)
    case .some(let other): throw unwritable(noParts(other, position))
    }
  }

  // -- Errors

  private func missing(_ reason: String) -> Failure {
    Failure("The path \(text) does not exist: \(reason)")
  }

  private func unwritable(_ reason: String) -> Failure {
    Failure("The path \(text) can't be written: \(reason); leaving defaults unchanged.")
  }

  private func noParts(_ value: PropertyListValue, _ position: Int) -> String {
    "\(text(upTo: position)) is of type \(ValueType.name(of: value)) and has no part "
      + rest[position].debugDescription
  }

  private func index(
    _ part: String, _ position: Int, in elements: [PropertyListValue],
    _ failure: (String) -> Failure
  ) throws(Failure) -> Int {
    // Not every text that Swift takes for a number: no sign.
    if part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let index = Int(part) { return index }
    throw failure(
      "\(text(upTo: position)) is an array of \(Self.count(elements)), and "
        + "\(part.debugDescription) is not a position; the first one is 0")
  }

  private static func count(_ elements: [PropertyListValue]) -> String {
    elements.count == 1 ? "1 element" : "\(elements.count) elements"
  }
}
