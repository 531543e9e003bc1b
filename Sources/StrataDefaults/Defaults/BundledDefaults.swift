import SettingsBundles
import StrataPropertyList
import StrataStorage

/// The default values that a Settings bundle describes.
enum BundledDefaults {
  /// Nil if the path is not that of a Settings bundle or of its root pane.
  static func values(at path: String) throws(DefaultsError) -> [String: PropertyListValue]? {
    let name = Path.name(of: path)
    if Path.stem(of: name, ending: ".bundle") != nil { return try values(in: path) }
    guard name == "\(SettingsBundle.rootName).plist",
      case .array? = try SettingsFile.dictionary(at: path)["PreferenceSpecifiers"]
    else { return nil }
    return try values(in: Path.directory(of: path))
  }

  /// - Throws: what is left out, since it may have had a default value.
  static func values(
    in directory: String
  ) throws(DefaultsError) -> [String: PropertyListValue] {
    do throws(Problem) {
      let (bundle, problems) = try BundleReader.read(directory)
      if let loss = problems.first(where: { $0.severity == .loss }) { throw loss }
      return bundle.defaultValues
    } catch {
      let path = error.file == directory ? directory : Path.join(directory, error.file)
      throw DefaultsError(path: path, reason: error.reason)
    }
  }
}
