import Foundation
import SettingsBundles
import SettingsModel
import StrataPropertyList

/// A Settings bundle in a directory of its own.
final class BundleFixture {
  let directory: String
  let path: String

  init() throws {
    directory = FileManager.default.temporaryDirectory.path + "/settings-\(UUID().uuidString)"
    path = directory + "/Test.bundle"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: directory)
    } catch {
      print("\(directory) was not removed: \(error)")
    }
  }

  func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

  func write(_ data: Data, to name: String) throws {
    let url = URL(fileURLWithPath: path + "/" + name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  /// A pane of these items, in OpenStep text.
  func pane(_ items: String..., to name: String = "Root.plist") throws {
    try write("{ PreferenceSpecifiers = (\(items.joined(separator: ", "))); }", to: name)
  }

  /// Writes all files of a description.
  func write(_ bundle: SettingsBundle) throws {
    for file in try bundle.files() { try write(Data(file.bytes), to: file.path) }
  }

  func read() throws -> (bundle: SettingsBundle, problems: [Problem]) {
    try BundleReader.read(path)
  }

  /// All that is wrong, as a person reads it.
  func faults() throws -> [String] {
    let (bundle, problems) = try read()
    return (problems + BundleCheck.problems(of: bundle)).map(\.description)
  }
}
