/// The flags of `write` that say what type a value has.
package enum ValueFlag: String, CaseIterable, Sendable {
  case string, data, int, integer, float, bool, boolean, date, array
  case arrayAdd = "array-add"
  case dict
  case dictAdd = "dict-add"

  /// The flag that an argument is, in any case.
  init?(argument: String) {
    guard argument.utf8.first == UInt8(ascii: "-") else { return nil }
    self.init(rawValue: argument.dropFirst().lowercased())
  }

  /// Whether it takes elements, and can therefore not be one.
  var isComposite: Bool { [.array, .arrayAdd, .dict, .dictAdd].contains(self) }

  /// What follows it.
  var placeholder: String {
    switch self {
    case .string: "<string_value>"
    case .data: "<hex_digits>"
    case .int, .integer: "<integer_value>"
    case .float: "<floating-point_value>"
    case .bool, .boolean: "(true | false | yes | no)"
    case .date: "<date_rep>"
    case .array, .arrayAdd: "<value1> <value2> ..."
    case .dict, .dictAdd: "<key1> <value1> <key2> <value2> ..."
    }
  }
}
