import StrataDomains
public import StrataPropertyList

/// Settings in the form that configuration libraries need: by dotted paths, as snapshots, and
/// watched.
///
/// ```swift
/// let reader = SettingsReader(defaults)
/// reader.value(at: "http.server.port")  // the key of this name, or a value in a dictionary
/// ```
public struct SettingsReader: Sendable {
  private let defaults: UserDefaults

  /// A reader of the whole search list of `defaults`.
  public init(_ defaults: UserDefaults = .standard) { self.defaults = defaults }

  /// The name of the settings in messages.
  public var name: String { "UserDefaults[\(defaults.stack.identifier.name)]" }

  /// The value at a path of names with dots between them. The longest key that the path begins with
  /// gives the value; if that is a dictionary, the rest of the path leads on inside of it.
  public func value(at path: String) -> PropertyListValue? {
    Self.value(at: path) { defaults.stack.value(forKey: $0) }
  }

  /// The values of all keys, those of each domain as of one moment.
  public func snapshot() -> Snapshot { Snapshot(values: defaults.snapshot().values) }

  /// The current value, and then each new one, whoever sets it.
  public func watch(_ path: String) -> UserDefaults.Values<PropertyListValue?> {
    let names = DottedPath(path).splits.map(\.key)
    return UserDefaults.Values(of: names, in: defaults, ==) { stored in
      Self.value(at: path) { name in names.firstIndex(of: name).flatMap { stored[$0] } }
    }
  }

  /// The values as ``snapshot()`` returns them, and then again whenever any value changes, whoever
  /// sets it.
  ///
  /// ```swift
  /// for await snapshot in reader.snapshots { apply(snapshot.value(at: "http.server.port")) }
  /// ```
  ///
  /// A slow consumer skips to the newest.
  public var snapshots: UserDefaults.Values<Snapshot> {
    UserDefaults.Values(ofAllKeysIn: defaults) { Snapshot(values: $0) }
  }

  /// The values of all keys, those of each domain as of one moment.
  public struct Snapshot: Sendable, Hashable {
    /// The first value of each key in the search list.
    public let values: [String: PropertyListValue]

    /// The value at a path, as ``SettingsReader/value(at:)`` finds it.
    public func value(at path: String) -> PropertyListValue? {
      SettingsReader.value(at: path) { values[$0] }
    }
  }

  private static func value(
    at path: String, _ find: (String) -> PropertyListValue?
  ) -> PropertyListValue? {
    DottedPath(path).find(find) { value, name in
      guard case .dictionary(let items) = value else { return nil }
      return items[name]
    }
  }
}
