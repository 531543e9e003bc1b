import StrataPropertyList
import StrataStorage

/// What a Settings bundle registers: the default values in its panes, from the root pane on.
struct SettingsBundle {
  private let directory: String
  private var values: [String: PropertyListValue] = [:]
  private var known: Set<String> = []
  /// The panes that led to the one that is being read, and it.
  private var trail: [String] = []

  private static let root = "Root"

  /// Nil when the path is not that of a Settings bundle or of its root pane.
  static func values(
    at path: String
  ) throws(DefaultsError) -> [String: PropertyListValue]? {
    let name = Path.name(of: path)
    if name.hasSuffix(".bundle") { return try values(in: path) }
    guard name == "\(root).plist",
      case .array? = try SettingsFile.dictionary(at: path)[specifiers]
    else { return nil }
    return try values(in: Path.directory(of: path))
  }

  private static func values(
    in directory: String
  ) throws(DefaultsError) -> [String: PropertyListValue] {
    var bundle = SettingsBundle(directory: directory)
    try bundle.read(root)
    return bundle.values
  }

  private init(directory: String) { self.directory = directory }

  private mutating func read(_ pane: String) throws(DefaultsError) {
    let path = Path.join(directory, pane + ".plist")
    if trail.contains(pane) {
      let circle = (trail + [pane]).joined(separator: " → ")
      throw DefaultsError(
        path: path, reason: "its panes form a cycle, \(circle); remove one of them")
    }
    guard known.insert(pane).inserted else { return }
    trail.append(pane)
    guard case .array(let specifiers)? = try SettingsFile.dictionary(at: path)[Self.specifiers]
    else {
      throw DefaultsError(
        path: path, reason: "it has no array \(Self.specifiers) and is not a settings pane")
    }
    for (position, specifier) in specifiers.enumerated() {
      guard case .dictionary(let entries) = specifier else {
        throw DefaultsError(
          path: path, reason: "\(Self.specifiers)[\(position)] is not a dictionary")
      }
      try take(entries, at: position, of: path)
    }
    trail.removeLast()
  }

  private static let specifiers = "PreferenceSpecifiers"

  private mutating func take(
    _ entries: [String: PropertyListValue], at position: Int, of path: String
  ) throws(DefaultsError) {
    if case .string(let key)? = entries["Key"], let value = entries["DefaultValue"] {
      values[key] = value
    }
    guard entries["Type"] == .string("PSChildPaneSpecifier") else { return }
    guard case .string(let pane)? = entries["File"], !pane.isEmpty, !pane.utf8.contains(0),
      !pane.utf8.contains(UInt8(ascii: "/"))
    else {
      throw DefaultsError(
        path: path,
        reason: "\(Self.specifiers)[\(position)] needs the name of a pane in the bundle as File")
    }
    try read(pane)
  }
}
