/// Counts the objects of a value before it is written.
extension PropertyListValue {
  /// The number of objects that the value needs in a binary file, if none are shared.
  ///
  /// `depth` is the number of containers around the value.
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
