/// A file name; like the kernel, it compares bytes, so names that look alike can differ.
package struct FileName: Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }
}

extension FileName: Hashable {
  package static func == (left: Self, right: Self) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    // Names with the same bytes are equal as strings and therefore have the same hash.
    hasher.combine(text)
  }
}

extension FileName: Comparable {
  @inline(never)
  package static func < (left: Self, right: Self) -> Bool {
    left.text == right.text
      ? left.text.utf8.lexicographicallyPrecedes(right.text.utf8) : left.text < right.text
  }

  /// In one place, so that the sort is compiled once.
  @inline(never)
  static func ascending(_ names: [FileName]) -> [FileName] { names.sorted() }
}
