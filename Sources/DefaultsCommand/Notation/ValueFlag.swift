/// The flags of `write` that give a value's type.
package enum ValueFlag: String, CaseIterable, Sendable {
  case string, data, int, integer, float, bool, boolean, date, array
  case arrayAdd = "array-add"
  case dict
  case dictAdd = "dict-add"

  /// The flag that an argument names, ignoring case.
  init?(argument: String) {
    guard argument.utf8.first == UInt8(ascii: "-") else { return nil }
    self.init(rawValue: argument.dropFirst().lowercased())
  }

  /// Whether it takes elements and therefore can't be nested.
  var isComposite: Bool { [.array, .arrayAdd, .dict, .dictAdd].contains(self) }

  /// What it means, for the manual page.
  var summary: String {
    switch self {
    case .string: "a string, used as it is."
    case .data: "an even number of hexadecimal digits, such as 00ff."
    case .int, .integer: "an integer of 64 bits, in decimal."
    case .float: "a decimal number such as 2.5 or -1e9."
    case .bool, .boolean: "true, yes or 1, or false, no or 0, ignoring case."
    case .date:
      "an ISO 8601 date such as 2020-01-31 or 2020-01-31T12:30:00+01:00, or a date as read prints "
        + "it, such as '2020-01-31 12:30:00 +0000'. Without a time zone it is in UTC."
    case .array: "an array. A type flag may precede each value."
    case .arrayAdd: "adds values to the end of an array, which is created if it does not exist."
    case .dict: "a dictionary. A type flag may precede each value."
    case .dictAdd: "adds entries to a dictionary, which is created if it does not exist."
    }
  }

  /// The placeholder for its arguments.
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
