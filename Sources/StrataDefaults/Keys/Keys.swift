public import StrataPropertyList
import StrataStorage
public import Synchronization

/// Keys regardless of the type of their value, and groups of keys.
extension UserDefaultsTypes {
  /// The namespace in which a program declares its keys, and the superclass of all keys, whatever
  /// the type of their value.
  ///
  /// ```swift
  /// extension UserDefaults.Keys {
  ///   static let theme = Key("Theme", default: Theme.system)
  ///   static let fontSize = Key("FontSize", default: 12, in: 6...72)
  ///   static let nickname = Key<String?>("Nickname")
  /// }
  ///
  /// defaults[.fontSize] += 1
  /// defaults.theme = .dark
  /// ```
  public class Keys: @unchecked Sendable {
    // Safety: constants, all of them Sendable; the only subclass is `Key`.

    // So that `Key(…)` can be written in an extension of `Keys`, the superclass names its subclass.
    /// A key with the type of its value.
    public typealias Key = UserDefaults.Key

    /// The name under which the value is stored.
    public let name: String
    /// The setting's name, for people.
    public let title: String?
    /// A description of the setting, for people.
    public let description: String?
    /// Whether the value must not be shown, for example in a log.
    public let isRedacted: Bool

    /// The default as it would be stored; nil if nothing would be.
    public var storedDefault: PropertyListValue? { nil }

    /// The values that the key allows, for people; nil if it allows all of its type.
    var allowed: String? { nil }

    let prepared: PreparedKey
    let tracked: KeyTracker.Key
    let decoded = DecodedSlot()
    @usableFromInline let wasDecoded = Atomic(false)

    package init(
      _ name: String, title: String? = nil, description: String? = nil, isRedacted: Bool = false
    ) {
      self.name = name
      self.title = title
      self.description = description
      self.isRedacted = isRedacted
      prepared = PreparedKey(name)
      tracked = KeyTracker.Key(name)
    }

    // Ordering: whether to look into the cache, which has an ordering of its own.
    /// Whether a decoded value is cached, which it never is for most keys.
    @inlinable final var isDecoded: Bool { wasDecoded.load(ordering: .relaxed) }

    final func cache(_ stamp: DecodedStamp) {
      decoded.store(stamp)
      wasDecoded.store(true, ordering: .relaxed)
    }
  }

  /// Keys that belong together, such as those of a settings pane, and can be reset together.
  ///
  /// ```swift
  /// let editor = UserDefaults.KeyGroup("Editor", [.theme, .fontSize])
  /// defaults.reset(editor)
  /// ```
  public struct KeyGroup: Sendable {
    /// The group's name, for people.
    public let title: String
    /// The keys, in the order in which they are shown.
    public let keys: [Keys]

    /// A group of these keys.
    public init(_ title: String, _ keys: [Keys]) {
      self.title = title
      self.keys = keys
    }
  }
}
