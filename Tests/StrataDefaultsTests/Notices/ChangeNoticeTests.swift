import Foundation
import Testing

import class StrataDefaults.UserDefaults

/// How a program hears that it changed a value.
struct ChangeNoticeTests {
  /// The notices of one object; they come on the thread of the test.
  private final class Notices: @unchecked Sendable {
    struct Notice {
      let integer: Int
      let thread: pthread_t
      let hasUserInfo: Bool
    }
    private(set) var all: [Notice] = []
    private var token: (any NSObjectProtocol)?

    init(of defaults: UserDefaults) {
      token = NotificationCenter.default.addObserver(
        forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
      ) { [weak self] notification in
        let object = notification.object as? UserDefaults
        self?.all.append(
          Notice(
            integer: object?.integer(forKey: "key") ?? -1, thread: pthread_self(),
            hasUserInfo: notification.userInfo != nil))
      }
    }

    deinit { token.map(NotificationCenter.default.removeObserver) }
  }

  // O-11
  @Test func `every change is told once, and what changes nothing is not`() throws {
    let fixture = try DefaultsFixture()
    let defaults = fixture.defaults
    let notices = Notices(of: defaults)
    let changes: [(text: String, count: Int, act: (UserDefaults) throws -> Void)] = [
      ("a set", 1, { $0.set(1, forKey: "key") }),
      ("an equal one", 1, { $0.set(1, forKey: "key") }),
      ("one of each type", 6, { setEachType($0) }),
      ("of nil", 1, { $0.set(nil, forKey: "key") }),
      ("by another name", 1, { $0.setValue(2, forKey: "key") }),
      ("one that may throw", 1, { try $0.store(3, forKey: "key") }),
      ("one that throws", 0, { try? $0.store(NSNull(), forKey: "key") }),
      ("a removal", 1, { $0.removeObject(forKey: "key") }),
      ("a removal of nothing", 1, { $0.removeObject(forKey: "key") }),
      ("what is registered", 1, { $0.register(defaults: ["a": 1, "b": 2]) }),
      ("nothing that is registered", 0, { $0.register(defaults: [:]) }),
      ("a volatile domain", 1, { $0.setVolatileDomain(["a": 1], forName: "v") }),
      ("its removal", 1, { $0.removeVolatileDomain(forName: "v") }),
      ("a persistent domain", 1, { $0.setPersistentDomain(["a": 1], forName: "p") }),
      ("its removal", 1, { $0.removePersistentDomain(forName: "p") }),
      ("a suite", 0, { $0.addSuite(named: "com.example.suite") }),
      ("its removal", 0, { $0.removeSuite(named: "com.example.suite") }),
      ("reading", 0, { _ = $0.dictionaryRepresentation() }),
      ("synchronizing", 0, { $0.synchronize() }),
    ]
    for (text, count, act) in changes {
      let before = notices.all.count
      try act(defaults)
      #expect(notices.all.count - before == count, "\(text)")
    }
    #expect(notices.all.allSatisfy { !$0.hasUserInfo })
  }

  private func setEachType(_ defaults: UserDefaults) {
    defaults.set(1, forKey: "key")
    defaults.set(true, forKey: "key")
    defaults.set(1.5, forKey: "key")
    defaults.set(Float(1.5), forKey: "key")
    defaults.set(URL(filePath: "/x"), forKey: "key")
    defaults.set("x", forKey: "key")
  }

  // O-11
  @Test func `a change is told on its thread, before the setter returns, when it can be read`()
    throws
  {
    let defaults = try DefaultsFixture().defaults
    let notices = Notices(of: defaults)
    for number in 1...10 {
      defaults.set(number, forKey: "key")
      #expect(notices.all.map(\.integer) == Array(1...number))
    }
    #expect(notices.all.allSatisfy { $0.thread == pthread_self() })
    let done = DispatchSemaphore(value: 0)
    let other = Thread {
      defaults.set(11, forKey: "key")
      done.signal()
    }
    other.start()
    done.wait()
    #expect(notices.all.map(\.integer) == Array(1...11))
    #expect(notices.all.last.map { $0.thread == pthread_self() } == false)
  }

  // O-11
  @Test func `the object is the one through which the change was made`() throws {
    let fixture = try DefaultsFixture()
    let (one, other) = (try fixture.suite("com.example.a"), try fixture.suite("com.example.a"))
    let notices = (
      own: Notices(of: fixture.defaults), one: Notices(of: one), other: Notices(of: other)
    )
    one.set(1, forKey: "key")
    #expect(other.integer(forKey: "key") == 1)
    #expect(notices.one.all.count == 1 && notices.other.all.isEmpty && notices.own.all.isEmpty)
    other.setPersistentDomain(["key": 2], forName: DefaultsFixture.identifier)
    #expect(fixture.defaults.integer(forKey: "key") == 2)
    #expect(notices.one.all.count == 1 && notices.other.all.count == 1)
    #expect(notices.own.all.isEmpty)
  }

  // O-11, O-14
  @Test func `the names are those of Apple's platforms`() {
    #expect(
      UserDefaults.didChangeNotification.rawValue == "NSUserDefaultsDidChangeNotification")
    #expect(
      UserDefaults.sizeLimitExceededNotification.rawValue
        == "NSUserDefaultsSizeLimitExceededNotification")
    let cloud = cloudNames(UserDefaults.self)
    #expect(
      cloud.map(\.rawValue) == [
        "NSUbiquitousUserDefaultsCompletedInitialSyncNotification",
        "NSUbiquitousUserDefaultsDidChangeAccountsNotification",
        "NSUbiquitousUserDefaultsNoCloudAccountNotification",
      ])
  }

  private func cloudNames(_ type: (some CloudNames).Type) -> [Notification.Name] {
    [
      type.completedInitialCloudSyncNotification, type.didChangeCloudAccountsNotification,
      type.noCloudAccountNotification,
    ]
  }
}

/// The deprecated names, which cannot be written without a warning.
private protocol CloudNames {
  static var completedInitialCloudSyncNotification: Notification.Name { get }
  static var didChangeCloudAccountsNotification: Notification.Name { get }
  static var noCloudAccountNotification: Notification.Name { get }
}

extension UserDefaults: CloudNames {}
