import StrataPropertyList

/// The names of types that `read-type` prints.
enum ValueType {
  static func name(of value: PropertyListValue) -> String {
    switch value {
    case .string: "string"
    case .data: "data"
    case .integer, .unsigned: "integer"
    case .real, .single: "float"
    case .boolean: "boolean"
    case .date: "date"
    case .array: "array"
    // In text formats, a keyed archiver's reference is a dictionary with the key CF$UID.
    case .dictionary, .uid: "dictionary"
    }
  }
}
