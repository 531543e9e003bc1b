// What is told by messages of a `NotificationCenter`.
//
// A message ends a program that observes notifications of any name: the center of Swift 6.3 hands
// it to those observers, too, and takes it for a notification. So messages are posted only where
// the program has asked for them: by their identifier, or by their type, for which the methods are
// that stand at the end.

public import Foundation
import Synchronization

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

    /// Whether the program has asked for it.
    static let isRequested = Atomic<Bool>(false)

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

    /// Whether the program has asked for it.
    static let isRequested = Atomic<Bool>(false)

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
  public static var didChange: Self {
    UserDefaults.DidChangeMessage.isRequested.store(true, ordering: .relaxed)
    return .init()
  }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<UserDefaults.SizeLimitExceededMessage> {
  /// Domains that hold more than the limit.
  public static var sizeLimitExceeded: Self {
    UserDefaults.SizeLimitExceededMessage.isRequested.store(true, ordering: .relaxed)
    return .init()
  }
}

extension NotificationCenter {
  /// Calls `observer` after each change that this process makes, by `subject` or by any.
  public func addObserver(
    of subject: UserDefaults? = nil, for messageType: UserDefaults.DidChangeMessage.Type,
    using observer: @escaping @Sendable (UserDefaults.DidChangeMessage) async -> Void
  ) -> ObservationToken {
    add(subject, .didChange, observer)
  }

  /// The changes that this process makes, by `subject` or by any.
  public func messages(
    of subject: UserDefaults? = nil, for messageType: UserDefaults.DidChangeMessage.Type,
    bufferSize limit: Int = 10
  ) -> some AsyncSequence<UserDefaults.DidChangeMessage, Never> & Sendable {
    sequence(subject, .didChange, limit)
  }

  /// Calls `observer` when a domain holds more than ``UserDefaults/sizeLimit``.
  public func addObserver(
    of subject: UserDefaults? = nil, for messageType: UserDefaults.SizeLimitExceededMessage.Type,
    using observer: @escaping @MainActor (UserDefaults.SizeLimitExceededMessage) -> Void
  ) -> ObservationToken {
    add(subject, .sizeLimitExceeded, observer)
  }

  // Generic, so that they call Foundation's.

  private func add<Message: AsyncMessage>(
    _ subject: Message.Subject?, _ identifier: BaseMessageIdentifier<Message>,
    _ observer: @escaping @Sendable (Message) async -> Void
  ) -> ObservationToken where Message.Subject: AnyObject {
    addObserver(of: subject, for: Message.self, using: observer)
  }

  private func add<Message: MainActorMessage>(
    _ subject: Message.Subject?, _ identifier: BaseMessageIdentifier<Message>,
    _ observer: @escaping @MainActor (Message) -> Void
  ) -> ObservationToken where Message.Subject: AnyObject {
    addObserver(of: subject, for: Message.self, using: observer)
  }

  private func sequence<Message: AsyncMessage>(
    _ subject: Message.Subject?, _ identifier: BaseMessageIdentifier<Message>, _ limit: Int
  ) -> some AsyncSequence<Message, Never> & Sendable where Message.Subject: AnyObject {
    messages(of: subject, for: Message.self, bufferSize: limit)
  }
}
