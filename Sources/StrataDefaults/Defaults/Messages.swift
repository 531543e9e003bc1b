// The messages of a `NotificationCenter`.
//
// A message ends a program that observes notifications of any name: the center of Swift 6.3 passes
// it to those observers as if it were a notification. So messages are posted only once the program
// has asked for them: by their identifier, or by their type, which the methods at the end are for.

public import Foundation
import Synchronization

extension UserDefaultsTypes {
  /// This process has changed a value.
  ///
  /// ```swift
  /// let token = NotificationCenter.default.addObserver(of: defaults, for: .didChange) { _ in … }
  /// ```
  public struct DidChangeMessage: NotificationCenter.AsyncMessage {
    /// The settings that were changed.
    public typealias Subject = UserDefaults

    /// The name of the equivalent notification.
    public static var name: Notification.Name { UserDefaults.didChangeNotification }

    /// Whether the program has asked for these messages.
    static let isRequested = Atomic<Bool>(false)

    /// A message, which has no content.
    public init() {}

    /// The message for a notification; nil if that has another name.
    public static func makeMessage(_ notification: Notification) -> Self? {
      notification.name == name ? Self() : nil
    }

    /// The equivalent notification.
    public static func makeNotification(_ message: Self) -> Notification {
      Notification(name: name)
    }
  }

  /// A domain has grown past ``UserDefaults/sizeLimit``, or a write was refused because of
  /// ``UserDefaults/hardSizeLimit``.
  public struct SizeLimitExceededMessage: NotificationCenter.MainActorMessage {
    /// The settings whose domain it is.
    public typealias Subject = UserDefaults

    /// The name of the equivalent notification.
    public static var name: Notification.Name { UserDefaults.sizeLimitExceededNotification }

    /// Whether the program has asked for these messages.
    static let isRequested = Atomic<Bool>(false)

    /// A message, which has no content.
    public init() {}

    /// The message for a notification; nil if that has another name.
    @MainActor public static func makeMessage(_ notification: Notification) -> Self? {
      notification.name == name ? Self() : nil
    }

    /// The equivalent notification.
    @MainActor public static func makeNotification(_ message: Self) -> Notification {
      Notification(name: name)
    }
  }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<UserDefaults.DidChangeMessage> {
  /// Messages of changes by this process.
  public static var didChange: Self {
    // Ordering: set before the observer exists, by its thread; who does not see it yet is no later.
    UserDefaults.DidChangeMessage.isRequested.store(true, ordering: .relaxed)
    return .init()
  }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<UserDefaults.SizeLimitExceededMessage> {
  /// Messages of domains that have grown past a limit, or would have.
  public static var sizeLimitExceeded: Self {
    UserDefaults.SizeLimitExceededMessage.isRequested.store(true, ordering: .relaxed)
    return .init()
  }
}

extension NotificationCenter {
  /// Calls `observer` after each change by this process, made by `subject` or, without one, by any
  /// settings.
  public func addObserver(
    of subject: UserDefaults? = nil, for messageType: UserDefaults.DidChangeMessage.Type,
    using observer: @escaping @Sendable (UserDefaults.DidChangeMessage) async -> Void
  ) -> ObservationToken {
    add(subject, .didChange, observer)
  }

  /// The changes by this process, made by `subject` or, without one, by any settings.
  public func messages(
    of subject: UserDefaults? = nil, for messageType: UserDefaults.DidChangeMessage.Type,
    bufferSize limit: Int = 10
  ) -> some AsyncSequence<UserDefaults.DidChangeMessage, Never> & Sendable {
    sequence(subject, .didChange, limit)
  }

  /// Calls `observer` when a domain has grown past ``UserDefaults/sizeLimit``, or a write was
  /// refused because of ``UserDefaults/hardSizeLimit``.
  public func addObserver(
    of subject: UserDefaults? = nil, for messageType: UserDefaults.SizeLimitExceededMessage.Type,
    using observer: @escaping @MainActor (UserDefaults.SizeLimitExceededMessage) -> Void
  ) -> ObservationToken {
    add(subject, .sizeLimitExceeded, observer)
  }

  // Generic, so that they call Foundation's methods and not those above.

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
