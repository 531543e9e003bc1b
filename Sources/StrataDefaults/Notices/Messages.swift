// What is told by messages of a `NotificationCenter`.

public import Foundation

extension UserDefaults {
  /// Says that this process changed a value.
  ///
  /// ```swift
  /// let token = NotificationCenter.default.addObserver(of: defaults, for: .didChange) { _ in … }
  /// ```
  public struct DidChangeMessage: NotificationCenter.AsyncMessage {
    /// Whose value it was.
    public typealias Subject = UserDefaults

    /// The name of the notification that says the same.
    public static var name: Notification.Name { UserDefaults.didChangeNotification }

    /// A message without more to say than that.
    public init() {}

    /// What the notification says; nil for one of another name.
    public static func makeMessage(_ notification: Notification) -> Self? {
      notification.name == name ? Self() : nil
    }

    /// The notification that says the same.
    public static func makeNotification(_ message: Self) -> Notification {
      Notification(name: name)
    }
  }

  /// Says that a domain holds more than ``sizeLimit``.
  public struct SizeLimitExceededMessage: NotificationCenter.MainActorMessage {
    /// Whose domain it is.
    public typealias Subject = UserDefaults

    /// The name of the notification that says the same.
    public static var name: Notification.Name { UserDefaults.sizeLimitExceededNotification }

    /// A message without more to say than that.
    public init() {}

    /// What the notification says; nil for one of another name.
    @MainActor public static func makeMessage(_ notification: Notification) -> Self? {
      notification.name == name ? Self() : nil
    }

    /// The notification that says the same.
    @MainActor public static func makeNotification(_ message: Self) -> Notification {
      Notification(name: name)
    }
  }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<UserDefaults.DidChangeMessage> {
  /// Changes that this process makes.
  public static var didChange: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<UserDefaults.SizeLimitExceededMessage> {
  /// Domains that hold more than the limit.
  public static var sizeLimitExceeded: Self { .init() }
}
