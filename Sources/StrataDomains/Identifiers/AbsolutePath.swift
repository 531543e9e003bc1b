/// Absolute paths as texts: the disk is not asked, so that the answer is the same everywhere.
enum AbsolutePath {
  /// The path without empty parts and `.`; nothing when it is not absolute.
  static func tidied(_ path: String) -> String? {
    guard path.utf8.first == UInt8(ascii: "/") else { return nil }
    return joined(parts(of: path))
  }

  /// The same, with each `..` taken together with the part before it.
  static func resolved(_ path: String) -> String? {
    guard path.utf8.first == UInt8(ascii: "/") else { return nil }
    var kept: [Substring] = []
    for part in parts(of: path) {
      if part.utf8.elementsEqual("..".utf8) {
        _ = kept.popLast()
      } else {
        kept.append(part)
      }
    }
    return joined(kept)
  }

  /// Cut by bytes: a `/` before a combining character is a `/` to the kernel.
  private static func parts(of path: String) -> [Substring] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
      .filter { !$0.utf8.elementsEqual(".".utf8) }
  }

  private static func joined(_ parts: [Substring]) -> String {
    "/" + parts.joined(separator: "/")
  }
}
