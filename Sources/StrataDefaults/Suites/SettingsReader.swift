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

  /// The values as of one moment.
  public func snapshot() -> Snapshot { Snapshot(values: defaults.snapshot().values) }

  /// The current value, and then each new one, whoever sets it.
  public func watch(_ path: String) -> UserDefaults.Values<PropertyListValue?> {
    let names = Self.splits(of: path).map(\.key)
    return UserDefaults.Values(of: names, in: defaults, ==) { stored in
      Self.value(at: path) { name in names.firstIndex(of: name).flatMap { stored[$0] } }
    }
  }

  /// The values as of one moment.
  public struct Snapshot: Sendable {
    let values: [String: PropertyListValue]

    /// The value at a path, as ``SettingsReader/value(at:)`` finds it.
    public func value(at path: String) -> PropertyListValue? {
      SettingsReader.value(at: path) { values[$0] }
    }
  }

  private static func value(
    at path: String, _ find: (String) -> PropertyListValue?
  ) -> PropertyListValue? {
    for (key, rest) in splits(of: path) {
      guard var value = find(key) else { continue }
      for name in rest {
        guard case .dictionary(let items) = value, let next = items[name] else { return nil }
        value = next
      }
      return value
    }
    return nil
  }

  /// The ways to see a path as a key and what is inside of it, the longest key first.
  private static func splits(of path: String) -> [(key: String, rest: [String])] {
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    return (1...names.count).reversed().map { count in
      (names[..<count].joined(separator: "."), Array(names[count...]))
    }
  }
}
