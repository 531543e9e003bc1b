/// How much a value takes when it is written, counted before writing it.
extension PropertyListValue {
  /// How many objects the value needs in a binary file, where nothing is shared.
  ///
  /// `depth` is how many containers already surround the value.
  package func objectCount(depth: Int = 0) throws(PropertyListError) -> Int {
    switch self {
    case .array(let elements):
      var count = 1
      try Self.checkNesting(depth)
      for element in elements { count += try element.objectCount(depth: depth + 1) }
      return count
    case .dictionary(let entries):
      var count = 1 + entries.count
      try Self.checkNesting(depth)
      for entry in entries { count += try entry.value.objectCount(depth: depth + 1) }
      return count
    default:
      return 1
    }
  }

  private static func checkNesting(_ depth: Int) throws(PropertyListError) {
    guard depth < PropertyListLimits.nesting else { throw .nestedTooDeep(at: 0) }
  }
}
