/// The limits that every codec enforces, so that no input can exhaust the stack or memory.
package enum PropertyListLimits {
  /// The maximum depth of nested arrays and dictionaries.
  package static let nesting = 512

  /// The maximum number of objects to decode from a binary file of `count` objects, some of them
  /// shared.
  package static func expandedObjects(fileObjects count: Int) -> Int {
    16 * count + 1_000_000
  }

  /// The maximum size of text and data to decode from a binary file of `count` bytes.
  package static func expandedBytes(fileBytes count: Int) -> Int {
    16 * count + 16_000_000
  }
}
