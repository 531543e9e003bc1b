/// The bounds that every codec keeps, so that no input can exhaust the stack or the memory.
package enum PropertyListLimits {
  /// How many arrays and dictionaries may contain one another.
  package static let nesting = 512

  /// How many bytes a file may have that is read as a property list.
  package static let fileSize = 512 << 20

  /// What is said of a larger one.
  package static func refusal(fileSize size: Int) -> String? {
    size <= fileSize
      ? nil
      : "it has \(size) bytes, more than the limit of \(fileSize) for a property list; "
        + "move large values to files of their own, or replace the file"
  }

  /// How many objects a binary file of `count` objects may expand to when it shares some of them.
  package static func expandedObjects(fileObjects count: Int) -> Int {
    16 * count + 1_000_000
  }

  /// How many bytes of text and data a binary file of `count` bytes may expand to.
  package static func expandedBytes(fileBytes count: Int) -> Int {
    16 * count + 16_000_000
  }
}
