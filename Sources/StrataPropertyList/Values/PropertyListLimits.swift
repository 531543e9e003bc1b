/// The limits that every codec enforces, so that no input can exhaust the stack or memory.
package enum PropertyListLimits {
  /// The maximum depth of nested arrays and dictionaries.
  package static let nesting = 512

  /// The maximum size in bytes of a file that is read as a property list.
  @inlinable package static var fileSize: Int { 512 << 20 }

  /// Why a file of this size is rejected; nil if it is not.
  // Inlined, so that a first read needs none of the code that makes the text.
  @inlinable
  package static func refusal(fileSize size: Int) -> String? {
    size <= fileSize ? nil : reason(forRefusing: size)
  }

  @inline(never) @usableFromInline
  package static func reason(forRefusing size: Int) -> String {
    "it has \(size) bytes, more than the limit of \(fileSize) for a property list; "
      + "move large values to files of their own, or replace the file"
  }

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
