/// One declaration in a Swift file, as far as the rules need to know it.
struct Declaration: Sendable {
  /// The keyword: `struct`, `func`, `import`, …
  let kind: String
  /// The name; for an import the module, for an extension the type's first name.
  let name: String
  let line: Int
  let modifiers: [String]
  let attributes: [String]
  /// The text of the first attribute argument that is a string: a test's display name.
  let displayName: String?
  /// The lines of its `///` comment, without the slashes.
  let documentation: [String]
  /// True for `public` and `open`, and for what a public protocol or extension makes so.
  let isPublic: Bool
  /// How many braces it stands in.
  let depth: Int
  /// Where its keyword is among the file's tokens.
  let index: Int

  static let typeKinds: Set = ["struct", "class", "enum", "protocol", "actor", "typealias"]
}
