public import Foundation
import StrataDomains
import Synchronization

/// The notifications of changes by this process.
extension UserDefaults {
  /// Posted when this process has changed a value, before the method that changed it returns. The
  /// object is the `UserDefaults` by which the change was made.
  public static let didChangeNotification = Notification.Name(
    "NSUserDefaultsDidChangeNotification")

  /// Posted when a domain has grown past ``sizeLimit``, and when a write is refused because of
  /// ``hardSizeLimit``.
  public static let sizeLimitExceededNotification = Notification.Name(
    "NSUserDefaultsSizeLimitExceededNotification")

  /// Never posted here: on Apple's platforms, a ubiquitous store has received its first values.
  @available(*, deprecated, message: "use the ubiquitous store's own notifications")
  public static let completedInitialCloudSyncNotification = Notification.Name(
    "NSUbiquitousUserDefaultsCompletedInitialSyncNotification")

  /// Never posted here: on Apple's platforms, the account of a ubiquitous store has changed.
  @available(*, deprecated, message: "use the ubiquitous store's own notifications")
  public static let didChangeCloudAccountsNotification = Notification.Name(
    "NSUbiquitousUserDefaultsDidChangeAccountsNotification")

  /// Never posted here: on Apple's platforms, a ubiquitous value was set without an account.
  @available(*, deprecated, message: "use the ubiquitous store's own notifications")
  public static let noCloudAccountNotification = Notification.Name(
    "NSUbiquitousUserDefaultsNoCloudAccountNotification")

  /// Notifies the observers of keys, and then the notification center's.
  func didChange(notifying observers: [Observer]) {
    observers.notify()
    Posting.perform(for: self) { defaults in
      NotificationCenter.default.post(name: Self.didChangeNotification, object: defaults)
      // Ordering: see where it is set.
      if DidChangeMessage.isRequested.load(ordering: .relaxed) {
        NotificationCenter.default.post(DidChangeMessage(), subject: defaults)
      }
    }
  }
}
