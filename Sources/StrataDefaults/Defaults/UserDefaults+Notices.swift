public import Foundation
import StrataDomains
import Synchronization

/// What a change in this process is told by.
extension UserDefaults {
  /// Posted when this process changed a value, before the method that did returns. Its object is
  /// the one that made the change.
  public static let didChangeNotification = Notification.Name(
    "NSUserDefaultsDidChangeNotification")

  /// Posted when a domain holds more than ``sizeLimit``.
  public static let sizeLimitExceededNotification = Notification.Name(
    "NSUserDefaultsSizeLimitExceededNotification")

  /// When a ubiquitous store has all its values for the first time.
  @available(*, deprecated, message: "use the ubiquitous store's own notifications")
  public static let completedInitialCloudSyncNotification = Notification.Name(
    "NSUbiquitousUserDefaultsCompletedInitialSyncNotification")

  /// When the account of a ubiquitous store is another one.
  @available(*, deprecated, message: "use the ubiquitous store's own notifications")
  public static let didChangeCloudAccountsNotification = Notification.Name(
    "NSUbiquitousUserDefaultsDidChangeAccountsNotification")

  /// When a ubiquitous value was set and there is no account.
  @available(*, deprecated, message: "use the ubiquitous store's own notifications")
  public static let noCloudAccountNotification = Notification.Name(
    "NSUbiquitousUserDefaultsNoCloudAccountNotification")

  /// Tells those who observe keys, and then everybody.
  func didChange(notifying observers: [Observer]) {
    observers.notify()
    Posting.perform(for: self) { defaults in
      NotificationCenter.default.post(name: Self.didChangeNotification, object: defaults)
      if DidChangeMessage.isRequested.load(ordering: .relaxed) {
        NotificationCenter.default.post(DidChangeMessage(), subject: defaults)
      }
    }
  }
}
