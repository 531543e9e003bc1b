public import Foundation
import StrataPropertyList
import StrataStorage

/// Registering values from a file.
extension UserDefaults {
  /// Registers the values in a file, as ``register(defaults:)`` does with a dictionary.
  ///
  /// The file is a property list in any notation, including JSON, with a dictionary at its top
  /// level; or a Settings bundle, or its `Root.plist`. Of these, the `DefaultValue` of each
  /// specifier with a `Key` is registered, in child panes as well.
  ///
  /// ```swift
  /// try UserDefaults.standard.register(contentsOf: URL(filePath: "/opt/app/Settings.bundle"))
  /// ```
  /// - Throws: what is wrong with the file. Nothing is registered then.
  @_disfavoredOverload
  public func register(contentsOf url: URL) throws(DefaultsError) {
    guard url.isFileURL else {
      throw DefaultsError(
        path: url.absoluteString, reason: "it is not a file URL; download the file first")
    }
    let values = try Self.values(at: url.path)
    for key in values.keys {
      guard let reason = Limits.refusal(key: key) else { continue }
      throw DefaultsError(
        key: key, path: url.path,
        reason: "\(key.prefix(80).debugDescription) is not a valid key: \(reason)")
    }
    register(values)
  }

  private static func values(
    at path: String
  ) throws(DefaultsError) -> [String: PropertyListValue] {
    if let values = try BundledDefaults.values(at: path) { return values }
    return try SettingsFile.dictionary(at: path)
  }
}
