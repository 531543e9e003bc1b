import StrataDomains
import StrataStorage

/// Where a value comes from.
extension UserDefaultsTypes {
  /// Where a value comes from.
  ///
  /// ```swift
  /// if let origin = defaults.origin(of: .theme), origin.isForced { control.isEnabled = false }
  /// ```
  public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// A place of the search list; the first one in this order that has a key gives its value.
    public enum Place: Sendable, Hashable, CaseIterable {
      /// Enforced by an administrator for this user.
      case forcedForUser
      /// Enforced by an administrator for all users.
      case forced
      /// The command line.
      case arguments
      /// The environment, if ``UserDefaults/environmentPrefix`` is set.
      case environment
      /// The program's or suite's own domain, on this machine only.
      case ownOnHost
      /// The program's or suite's own domain, where values are set.
      case own
      /// A suite that was added.
      case suite
      /// The domain that all programs share, on this machine only.
      case globalOnHost
      /// The domain that all programs share.
      case global
      /// The program's or suite's own domain, for all users.
      case ownForEveryone
      /// A suite that was added, for all users.
      case suiteForEveryone
      /// The domain that all programs share, for all users.
      case globalForEveryone
      /// Suggested by an administrator.
      case recommended
      /// Derived from the user's languages.
      case languages
      /// Registered by the program.
      case registered
    }

    /// The place.
    public let place: Place
    /// The property list, if there is one.
    public let path: String?
    /// Whether an administrator enforces the value, so that setting it has no effect.
    public var isForced: Bool { place == .forcedForUser || place == .forced }

    /// The place and the file.
    public var description: String { "\(place)" + (path.map { " (\($0))" } ?? "") }

    init(_ place: StrataDomains.Place, _ layer: Layer, in stack: Stack) {
      path = layer.path
      self.place =
        switch place {
        case .managedUser: .forcedForUser
        case .managed: .forced
        case .arguments:
          layer == .memory(stack.process.volatile.arguments) ? .arguments : .environment
        case .applicationHost: .ownOnHost
        case .application: .own
        case .suites: .suite
        case .globalHost: .globalOnHost
        case .global: .global
        case .applicationEveryone: .ownForEveryone
        case .suitesEveryone: .suiteForEveryone
        case .globalEveryone: .globalForEveryone
        case .recommended: .recommended
        case .languages: .languages
        case .registration: .registered
        }
    }
  }
}
