/// Paths as texts. The kernel compares bytes: a slash is one even if a combining mark follows it.
package enum Path {
  /// So many links that lead to each other are a circle.
  static let linksMax = 32

  private static let slash = UInt8(ascii: "/")

  /// The directory that `path` names something in.
  package static func directory(of path: String) -> String {
    guard let cut = path.utf8.lastIndex(of: slash) else { return "." }
    return cut == path.utf8.startIndex ? "/" : String(path[..<cut])
  }

  package static func name(of path: String) -> String {
    path.utf8.lastIndex(of: slash).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }

  /// Whether both are written alike, which is how the kernel tells files apart.
  static func isSame(_ path: String, _ other: String) -> Bool {
    path.utf8.elementsEqual(other.utf8)
  }

  /// What `name` in `directory` is called.
  package static func join(_ directory: String, _ name: String) -> String {
    directory == "/" ? "/" + name : directory + "/" + name
  }
}
