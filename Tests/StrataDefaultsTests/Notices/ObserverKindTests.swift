import Foundation
import Synchronization
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// All kinds of observers that a `NotificationCenter` has, each alone in a process.
struct ObserverKindTests {
  enum Kind: String, Codable, CaseIterable, Sendable {
    case aNotification, aNotificationOfAnObject, anyNotification, anyNotificationOfAnObject
    case aMessage, aMessageOfAnObject, aMessageByType, aMessageByTypeInGenericCode
    case messages, messagesOfAnObject, messagesByType
    case sizeMessage, sizeMessageByType

    /// Observes, and calls `told` at each notice; what it returns must be kept.
    func observe(
      _ defaults: UserDefaults, in center: NotificationCenter = .default,
      _ told: @escaping @Sendable () -> Void
    ) -> Any {
      let name = UserDefaults.didChangeNotification
      func add(_ name: Notification.Name?, _ object: UserDefaults?) -> Any {
        center.addObserver(forName: name, object: object, queue: nil) { _ in told() }
      }
      switch self {
      case .aNotification: return add(name, nil)
      case .aNotificationOfAnObject: return add(name, defaults)
      case .anyNotification: return add(nil, nil)
      case .anyNotificationOfAnObject: return add(nil, defaults)
      case .aMessage:
        return center.addObserver(of: UserDefaults.self, for: .didChange) { _ in told() }
      case .aMessageOfAnObject:
        return center.addObserver(of: defaults, for: .didChange) { _ in told() }
      case .aMessageByType:
        return center.addObserver(for: UserDefaults.DidChangeMessage.self) { _ in told() }
      case .aMessageByTypeInGenericCode:
        return ObserverKindTests.observe(.didChange, in: center, told)
      case .messages:
        var messages = center.messages(of: UserDefaults.self, for: .didChange).makeAsyncIterator()
        return Task { while await messages.next(isolation: nil) != nil { told() } }
      case .messagesOfAnObject:
        var messages = center.messages(of: defaults, for: .didChange).makeAsyncIterator()
        return Task { while await messages.next(isolation: nil) != nil { told() } }
      case .messagesByType:
        var messages = center.messages(for: UserDefaults.DidChangeMessage.self).makeAsyncIterator()
        return Task { while await messages.next(isolation: nil) != nil { told() } }
      case .sizeMessage:
        return center.addObserver(of: defaults, for: .sizeLimitExceeded) { _ in told() }
      case .sizeMessageByType:
        return center.addObserver(for: UserDefaults.SizeLimitExceededMessage.self) { _ in told() }
      }
    }
  }

  // O-11, O-12, O-13
  @Test(arguments: Kind.allCases)
  func `an observer of each kind hears of what is set after it came`(_ kind: Kind) async {
    await #expect(processExitsWith: .success) { [kind] in
      alarm(1_200)  // ends the process when nothing is told
      let defaults = try DefaultsFixture().defaults
      defaults.set(1, forKey: "key")
      let (stream, told) = AsyncStream.makeStream(of: Void.self)
      let token = kind.observe(defaults) { told.yield() }
      // More than the limit of a domain.
      defaults.set(Data(count: 5 << 20), forKey: "key")
      var notices = stream.makeAsyncIterator()
      await notices.next()
      withExtendedLifetime(token) {}
    }
  }

  private static func observe<Message: NotificationCenter.AsyncMessage>(
    _ identifier: NotificationCenter.BaseMessageIdentifier<Message>,
    in center: NotificationCenter, _ told: @escaping @Sendable () -> Void
  ) -> Any where Message.Subject: AnyObject {
    observe(Message.self, in: center, told)
  }

  private static func observe<Message: NotificationCenter.AsyncMessage>(
    _ type: Message.Type, in center: NotificationCenter = .default,
    _ told: @escaping @Sendable () -> Void
  ) -> Any where Message.Subject: AnyObject {
    center.addObserver(for: type) { _ in told() }
  }

  // O-12
  @Test func `generic code that never had the identifier does not have messages posted`() async {
    await #expect(processExitsWith: .success) {
      let defaults = try DefaultsFixture().defaults
      let isRequested = { UserDefaults.DidChangeMessage.isRequested.load(ordering: .relaxed) }
      let token = Self.observe(UserDefaults.DidChangeMessage.self) {}
      defaults.set(1, forKey: "key")
      #expect(!isRequested())
      _ = NotificationCenter.BaseMessageIdentifier<UserDefaults.DidChangeMessage>.didChange
      #expect(isRequested())
      withExtendedLifetime(token) {}
    }
  }

  // O-12
  @Test func `the toolchain can't tell messages where any notification is observed`() async {
    await #expect(processExitsWith: .signal(SIGABRT)) {
      let defaults = try DefaultsFixture().defaults
      let tokens: [Any] = [
        Kind.anyNotification.observe(defaults) {}, Kind.aMessage.observe(defaults) {},
      ]
      defaults.set(1, forKey: "key")
      withExtendedLifetime(tokens) {}
    }
  }
}
