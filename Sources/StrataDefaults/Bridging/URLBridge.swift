package import Foundation
import StrataDomains
package import StrataPropertyList

/// Converts URLs to stored values and back: those of files to paths, others to archives.
package struct URLBridge: Sendable {
  /// For the home directory in which this process keeps its files, too.
  static let ofProcess = URLBridge(home: ProcessSurroundings.current.home ?? "")

  /// The directory that `~` stands for, without a slash at its end; empty if there is none.
  private let home: String

  /// Paths inside of `home` are written with a `~`.
  package init(home: String) {
    self.home = Self.withoutLastSlashes(home)
  }

  /// How `url` is stored.
  package func value(of url: URL) -> PropertyListValue {
    guard let path = Self.path(of: url) else { return .data(URLArchive.bytes(of: url)) }
    return .string(abbreviated(path))
  }

  /// The URL of a stored value; nil if it is not one.
  package func url(of value: PropertyListValue) -> URL? {
    switch value {
    case .string(let text) where !text.utf8.contains(0): URL(fileURLWithPath: expanded(text))
    case .data(let bytes): URLArchive.url(in: bytes)
    default: nil
    }
  }

  /// The absolute path that is equivalent to `url`; nil if a path would lose something.
  private static func path(of url: URL) -> String? {
    guard url.isFileURL, ["", "localhost"].contains(url.host ?? ""), url.user == nil,
      url.port == nil, url.query == nil, url.fragment == nil
    else { return nil }
    // Of a relative URL, this is the path from its base.
    let encoded = url.path(percentEncoded: true)
    // Escapes can stand for what no path can say: bytes that are no text, NUL, and slashes.
    guard let path = encoded.removingPercentEncoding, path.utf8.first == UInt8(ascii: "/"),
      !path.utf8.contains(0), slashes(in: path) == slashes(in: encoded),
      !path.utf8.starts(with: "/.file/id=".utf8)
    else { return nil }
    return withoutLastSlashes(path)
  }

  private static func slashes(in path: String) -> Int {
    path.utf8.count { $0 == UInt8(ascii: "/") }
  }

  private static func withoutLastSlashes(_ path: String) -> String {
    var rest = path.utf8[...]
    while rest.count > 1, rest.last == UInt8(ascii: "/") { rest.removeLast() }
    return String(Substring(rest))
  }

  // Names of files are compared by their bytes: the two spellings of é are two files.
  private func abbreviated(_ path: String) -> String {
    guard home.utf8.count > 1, path.utf8.starts(with: home.utf8) else { return path }
    let rest = path.utf8.dropFirst(home.utf8.count)
    guard rest.isEmpty || rest.first == UInt8(ascii: "/") else { return path }
    return "~" + String(Substring(rest))
  }

  /// The path with the `~` at its start replaced; another user's, `~name`, is left to Foundation.
  private func expanded(_ path: String) -> String {
    guard path.utf8.first == UInt8(ascii: "~") else { return path }
    let rest = path.utf8.dropFirst()
    guard !home.isEmpty, rest.isEmpty || rest.first == UInt8(ascii: "/") else { return path }
    return home + String(Substring(rest))
  }
}
