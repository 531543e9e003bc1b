/// Normalizes absolute paths as texts, without the disk, so that the result is always the same.
package enum AbsolutePath {
  /// The path without empty components and `.`; nil if it is not absolute.
  package static func tidied(_ path: String) -> String? {
    rebuilt(path) { _ in false }
  }

  /// The same, with each `..` removed together with the component before it.
  static func resolved(_ path: String) -> String? {
    rebuilt(path) { $0.elementsEqual("..".utf8) }
  }

  /// Splits by bytes: to the kernel, a `/` before a combining character is a separator. Joins
  /// bytes, too: every program does this before its first read, and for `split` and `joined` the
  /// runtime would search all libraries.
  private static func rebuilt(
    _ path: String, isUp: (Substring.UTF8View) -> Bool
  ) -> String? {
    guard path.utf8.first == slash else { return nil }
    if isTidy(path) { return path }
    var result: [UInt8] = []
    var rest = path.utf8[...]
    while !rest.isEmpty {
      let part = rest.prefix { $0 != slash }
      rest = rest.dropFirst(part.count + 1)
      if part.isEmpty || part.elementsEqual(".".utf8) { continue }
      if isUp(part) {
        result.removeSubrange((result.lastIndex(of: slash) ?? 0)...)
      } else {
        result.append(slash)
        result.append(contentsOf: part)
      }
    }
    return result.isEmpty ? "/" : String(decoding: result, as: UTF8.self)
  }

  /// Whether no component is empty, `.` or `..`, as in nearly all paths: then there is nothing to
  /// do. A slash at the end counts as an empty one.
  private static func isTidy(_ path: String) -> Bool {
    var isStart = false
    var dots = 0
    for byte in path.utf8.reversed() {
      if byte == slash {
        if !isStart || dots == 1 || dots == 2 { return false }
        (isStart, dots) = (false, 0)
      } else {
        dots = byte == UInt8(ascii: ".") && (!isStart || dots > 0) ? dots + 1 : 0
        isStart = true
      }
    }
    return true
  }

  private static let slash = UInt8(ascii: "/")
}
