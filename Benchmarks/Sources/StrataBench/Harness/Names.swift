enum Names {
  /// The last name in a path. Not by Foundation's `lastPathComponent`, whose first call takes a
  /// tenth of the first read that is measured.
  static func last(of path: String) -> String {
    let bytes = path.utf8
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(decoding: bytes[bytes.index(after: slash)...], as: UTF8.self)
  }
}
