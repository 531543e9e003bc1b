import StrataSystem

/// Paths as text. The kernel compares bytes: a slash counts even if a combining mark follows it.
package enum Path {
  /// More links than this, one after another, are taken for a loop.
  static let linksMax = 32

  private static let slash = UInt8(ascii: "/")

  // By bytes, here as below: to compare strings is code that a first read has no other use for.
  static func isRoot(_ path: String) -> Bool { path.utf8.count == 1 && path.utf8.first == slash }
  static func isWorkingDirectory(_ path: String) -> Bool {
    path.utf8.count == 1 && path.utf8.first == UInt8(ascii: ".")
  }

  /// Whether it names no directory around it.
  static func isTop(_ path: String) -> Bool { isRoot(path) || isWorkingDirectory(path) }

  /// The directory in which `path` names something.
  @inline(never)
  package static func directory(of path: String) -> String {
    guard let cut = lastSlash(in: path) else { return "." }
    return cut == 0 ? "/" : part(of: path, 0..<cut)
  }

  /// Whether that is `directory`.
  @inline(never)
  static func isDirectory(_ directory: String, of path: String) -> Bool {
    guard let cut = lastSlash(in: path) else { return isWorkingDirectory(directory) }
    if cut == 0 { return isRoot(directory) }
    var (directory, path) = (directory, path)
    return directory.utf8.count == cut
      && directory.withUTF8 { known in path.withUTF8 { known.elementsEqual($0[..<cut]) } }
  }

  @inline(never)
  package static func name(of path: String) -> String {
    guard let cut = lastSlash(in: path) else { return path }
    return part(of: path, cut + 1..<path.utf8.count)
  }

  /// The name without an ending such as `.plist`; nil if it ends otherwise.
  ///
  /// Compares bytes: to `hasSuffix`, some characters are one with the dot that follows them.
  @inline(never)
  package static func stem(of name: String, ending: String) -> String? {
    let size = name.utf8.count - ending.utf8.count
    guard size >= 0, name.utf8.dropFirst(size).elementsEqual(ending.utf8) else { return nil }
    return part(of: name, 0..<size)
  }

  private static func lastSlash(in path: String) -> Int? {
    var path = path
    return path.withUTF8 { bytes in bytes.lastIndex(of: slash) }
  }

  // Not by indices: a string would have to find out whether they are between two characters, in
  // code that a program's first read has no other use for.
  private static func part(of path: String, _ range: Range<Int>) -> String {
    var path = path
    return path.withUTF8 { bytes in
      String(ofBytes: UnsafeBufferPointer(rebasing: bytes[range]))
    }
  }

  /// Whether both have the same bytes, which is how the kernel compares names.
  @inline(never)
  package static func isSame(_ path: String, _ other: String) -> Bool {
    path.utf8.count == other.utf8.count
      && path.withCString { first in other.withCString { strcmp(first, $0) == 0 } }
  }

  /// The path of `name` in `directory`.
  @inline(never)
  package static func join(_ directory: String, _ name: String) -> String {
    concatenated(isRoot(directory) ? "" : directory, "/", name)
  }

  /// Some texts as one, in memory of just that size: appending would allocate twice, and twice as
  /// much, and a first read makes some twenty paths.
  @inline(never)
  package static func concatenated(
    _ first: String, _ second: String, _ third: String, _ fourth: String = ""
  ) -> String {
    let count =
      first.utf8.count + second.utf8.count + third.utf8.count + fourth.utf8.count
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { buffer in
      // Safety: `copy` stays within the buffer, whose size is the sum of theirs.
      var end = 0
      copy(first, to: buffer, &end)
      copy(second, to: buffer, &end)
      copy(third, to: buffer, &end)
      copy(fourth, to: buffer, &end)
      return String(ofBytes: UnsafeBufferPointer(rebasing: buffer[..<end]))
    }
  }

  @inline(never)
  private static func copy(
    _ text: String, to buffer: UnsafeMutableBufferPointer<UInt8>, _ end: inout Int
  ) {
    var text = text
    text.withUTF8 { bytes in
      guard let source = bytes.baseAddress, let target = buffer.baseAddress,
        bytes.count <= buffer.count - end
      else { return }
      (target + end).update(from: source, count: bytes.count)
      end += bytes.count
    }
  }
}
