public import Foundation
import StrataPropertyList
import StrataStorage

/// Values to register that are in a file.
extension UserDefaults {
  /// Registers what is in a file, as ``register(defaults:)`` does with a dictionary.
  ///
  /// The file is a property list in any notation, JSON among them, with a dictionary at its top; or
  /// a Settings bundle, or its `Root.plist`: for the `Key` of every specifier in it, and in the
  /// panes that it leads to, the `DefaultValue` is registered.
  ///
  /// ```swift
  /// try UserDefaults.standard.register(contentsOf: URL(filePath: "/opt/app/Settings.bundle"))
  /// ```
  /// - Throws: what is wrong with the file; nothing is registered then.
  public func register(contentsOf url: URL) throws(DefaultsError) {
    guard url.isFileURL else {
      throw DefaultsError(path: url.absoluteString, reason: "it is no file; download it first")
    }
    let values = try Self.values(at: url.path)
    for key in values.keys {
      guard let reason = Limits.refusal(key: key) else { continue }
      throw DefaultsError(
        key: key, path: url.path,
        reason: "\(key.prefix(80).debugDescription) is no key: \(reason)")
    }
    register(values)
  }

  private static func values(
    at path: String
  ) throws(DefaultsError) -> [String: PropertyListValue] {
    if let values = try SettingsBundle.values(at: path) { return values }
    return try SettingsFile.dictionary(at: path)
  }
}
