import StrataPropertyList

/// What `read-type` calls a value.
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
    // What a keyed archiver's reference is in every notation for people.
    case .dictionary, .uid: "dictionary"
    }
  }
}
