import StrataPropertyList

/// The meaning of the arguments after the key of `write`: a value, or something to add to one.
enum TypedValue: Hashable, Sendable {
  case value(PropertyListValue)
  case addedElements([PropertyListValue])
  case addedEntries([String: PropertyListValue])

  init(_ arguments: [String]) throws(Failure) {
    guard let first = arguments.first else { throw .usage("write: missing value for the key") }
    guard let flag = ValueFlag(argument: first) else {
      try Self.refuseFlag(first)
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

  /// An argument that begins with a hyphen but is not a flag is most likely a misspelled one.
  private static func refuseFlag(_ argument: String) throws(Failure) {
    if argument.utf8.first == UInt8(ascii: "-"), argument != "-" { throw unexpected(argument) }
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
    while let key = rest.popFirst() {
      if ValueFlag(argument: key)?.isComposite == true { throw ValueNotation.nested }
      guard !rest.isEmpty else {
        throw Failure("Key \(key) has no value; leaving defaults unchanged.")
      }
      entries[key] = try takeElement(&rest)
    }
    return entries
  }

  private static func takeElement(
    _ rest: inout ArraySlice<String>
  ) throws(Failure) -> PropertyListValue {
    guard let first = rest.popFirst() else { return .string("") }
    guard let flag = ValueFlag(argument: first) else {
      try refuseFlag(first)
      return try ValueNotation.value(first)
    }
    if flag.isComposite { throw ValueNotation.nested }
    guard let text = rest.popFirst() else { throw .usage("\(first) requires a value") }
    return try ValueNotation.value(text, flag)
  }
}
