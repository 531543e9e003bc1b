/// Names with dots between them: a key, which may have dots itself, and names inside its value.
struct DottedPath {
  private let names: [String]

  init(_ path: String) {
    names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  /// The ways to see the path as a key and the names inside of its value, the longest key first.
  var splits: [(key: String, rest: [String])] {
    (1...names.count).reversed().map { count in
      (names[..<count].joined(separator: "."), Array(names[count...]))
    }
  }

  /// The value for the longest key that has one or, if the path does not end there, what is inside
  /// of it.
  func find<Value>(
    _ valueOfKey: (String) -> Value?, inside valueInside: (Value, String) -> Value?
  ) -> Value? {
    for (key, rest) in splits {
      guard let value = valueOfKey(key) else { continue }
      return rest.reduce(value) { value, name in value.flatMap { valueInside($0, name) } }
    }
    return nil
  }
}
