import Foundation

/// A directory that is removed with its owner.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "strata-fleet-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      print("could not remove \(path): \(error)")
    }
  }

  /// The path of a file in it.
  func callAsFunction(_ name: String) -> String { path + "/" + name }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: self(name)), options: .atomic)
    return self(name)
  }

  /// Replaces a file as programs that renew certificates do.
  func copy(_ source: String, over destination: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: source))
    try data.write(to: URL(fileURLWithPath: destination), options: .atomic)
  }
}
