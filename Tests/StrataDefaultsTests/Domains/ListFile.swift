import Foundation
import StrataPropertyList

/// Property lists that an administrator, an editor or another program leaves.
enum ListFile {
  /// Writes a list as XML, and the directories that it needs, all of them this user's own.
  static func write(_ values: [String: String], to path: String) throws {
    let bytes = try PropertyList.encode(
      .dictionary(values.mapValues { .string($0) }), as: .xml)
    try write(bytes, to: path)
  }

  static func write(_ text: String, to path: String) throws {
    try write(Array(text.utf8), to: path)
  }

  static func values(of path: String) throws -> [String: PropertyListValue] {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    guard case .dictionary(let values) = try PropertyList.decode(bytes).value else { return [:] }
    return values
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }
}
