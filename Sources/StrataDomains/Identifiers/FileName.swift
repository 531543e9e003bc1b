/// The name of a file: one that looks like another is another when its bytes are.
package struct FileName: Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }
}

extension FileName: Hashable {
  package static func == (left: Self, right: Self) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    // What has the same bytes looks alike and therefore has the same hash.
    hasher.combine(text)
  }
}

extension FileName: Comparable {
  package static func < (left: Self, right: Self) -> Bool {
    left.text == right.text
      ? left.text.utf8.lexicographicallyPrecedes(right.text.utf8) : left.text < right.text
  }
}
