import StrataPropertyList

/// The meaning of the arguments after the key of `write`: a value, or something to add to one.
enum TypedValue: Hashable, Sendable {
  case value(PropertyListValue)
  case addedElements([PropertyListValue])
  case addedEntries([String: PropertyListValue])

  init(_ arguments: [String]) throws(Failure) {
    guard let first = arguments.first else { throw .usage("write: missing value for the key") }
    guard let flag = ValueFlag(argument: first) else {
      try Self.refuse(arguments.dropFirst(1))
      self = .value(try ValueNotation.value(first))
      return
    }
    let rest = arguments.dropFirst()
    switch flag {
    case .array: self = .value(.array(try Self.elements(rest)))
    case .arrayAdd: self = .addedElements(try Self.elements(rest))
    case .dict: self = .value(.dictionary(try Self.entries(rest)))
    case .dictAdd: self = .addedEntries(try Self.entries(rest))
    default:
      guard let text = rest.first else { throw .usage("\(first) requires a value") }
      try Self.refuse(rest.dropFirst())
      self = .value(try ValueNotation.value(text, flag))
    }
  }

  private static func refuse(_ arguments: ArraySlice<String>) throws(Failure) {
    if let argument = arguments.first { throw unexpected(argument) }
  }

  static func unexpected(_ argument: String) -> Failure {
    Failure("Unexpected argument \(argument); leaving defaults unchanged.")
  }

  private static func elements(
    _ arguments: ArraySlice<String>
  ) throws(Failure) -> [PropertyListValue] {
    var rest = arguments
    var elements: [PropertyListValue] = []
    while !rest.isEmpty { elements.append(try takeElement(&rest)) }
    return elements
  }

  private static func entries(
    _ arguments: ArraySlice<String>
  ) throws(Failure) -> [String: PropertyListValue] {
    var rest = arguments
    var entries: [String: PropertyListValue] = [:]
    while !rest.isEmpty {
      let key = try takeKey(&rest)
      guard !rest.isEmpty else {
        throw Failure("Key \(key) has no value; leaving defaults unchanged.")
      }
      entries[key] = try takeElement(&rest)
    }
    return entries
  }

  /// A key of a dictionary: as it is, or in quotes, or after the flag for a string.
  private static func takeKey(_ rest: inout ArraySlice<String>) throws(Failure) -> String {
    let first = rest.first ?? ""
    let isPlain = ValueFlag(argument: first) == nil && first.utf8.first != UInt8(ascii: "\"")
    if isPlain {
      rest.removeFirst()
      return try ValueNotation.string(first) ?? first
    }
    guard case .string(let key) = try takeElement(&rest) else {
      throw Failure("The key after \(first) must be a string; leaving defaults unchanged.")
    }
    return key
  }

  private static func takeElement(
    _ rest: inout ArraySlice<String>
  ) throws(Failure) -> PropertyListValue {
    guard let first = rest.popFirst() else { return .string("") }
    guard let flag = ValueFlag(argument: first) else {
      return try ValueNotation.value(first)
    }
    if flag.isComposite { throw ValueNotation.nested }
    guard let text = rest.popFirst() else { throw .usage("\(first) requires a value") }
    return try ValueNotation.value(text, flag)
  }
}
