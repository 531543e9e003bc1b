import Foundation
import Testing

import struct StrataDefaults.DefaultsError
import class StrataDefaults.UserDefaults

/// What happens when a domain becomes too large. The limits are the process's: who changes one is a
/// process of its own.
struct SizeLimitTests {
  /// How often a domain of an object was told to be too large.
  private final class Notices: @unchecked Sendable {
    private(set) var count = 0
    private var token: (any NSObjectProtocol)?

    init(of defaults: UserDefaults) {
      token = NotificationCenter.default.addObserver(
        forName: UserDefaults.sizeLimitExceededNotification, object: defaults, queue: nil
      ) { [weak self] _ in self?.count += 1 }
    }

    deinit { token.map(NotificationCenter.default.removeObserver) }
  }

  // O-13
  @Test func `a domain that passes 4 MiB is told once, and keeps what is set`() throws {
    #expect(UserDefaults.sizeLimit == 4 << 20)
    #expect(UserDefaults.hardSizeLimit == nil)
    let defaults = try DefaultsFixture().defaults
    let notices = Notices(of: defaults)
    defaults.set(Data(count: 4 << 20 - 1000), forKey: "large")
    #expect(notices.count == 0)
    defaults.set(Data(count: 2000), forKey: "small")
    #expect(notices.count == 1)
    defaults.set(Data(count: 3000), forKey: "more")
    #expect(notices.count == 1, "it had passed before")
    #expect(defaults.data(forKey: "more")?.count == 3000)
    defaults.removeObject(forKey: "large")
    #expect(notices.count == 1)
    defaults.set(Data(count: 5 << 20), forKey: "large")
    #expect(notices.count == 2)
    #expect(defaults.data(forKey: "large")?.count == 5 << 20)
    #expect(defaults.synchronize())
  }

  // O-13
  @Test func `a persistent domain that is replaced is told, too`() throws {
    let defaults = try DefaultsFixture().defaults
    let notices = Notices(of: defaults)
    defaults.setPersistentDomain(["large": Data(count: 5 << 20)], forName: "com.example.other")
    #expect(notices.count == 1)
  }

  // O-13
  @Test func `what another process stored counts, too`() async throws {
    let fixture = try DefaultsFixture()
    await #expect(processExitsWith: .success) { [directory = fixture.directory as String] in
      let fixture = try DefaultsFixture(in: directory)
      let values = (0..<4000).map { ("key\($0)", Data(count: 1000)) }
      fixture.defaults.setPersistentDomain(
        Dictionary(uniqueKeysWithValues: values), forName: DefaultsFixture.identifier)
      fixture.flush()
    }
    let notices = Notices(of: fixture.defaults)
    fixture.defaults.set(Data(count: 500), forKey: "small")
    #expect(notices.count == 0)
    fixture.defaults.set(Data(count: 200_000), forKey: "more")
    #expect(notices.count == 1)
  }

  // O-13
  @Test func `the log says which domain is too large`() async throws {
    let directory = try DefaultsFixture().directory
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [directory = directory as String] in
      UserDefaults.sizeLimit = 1000
      let defaults = try DefaultsFixture(in: directory).defaults
      defaults.set(Data(count: 900), forKey: "small")
      defaults.set(Data(count: 200), forKey: "more")
    }
    let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      .split(separator: "\n").filter { $0.contains("the domain holds more than") }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("com.example.app: the domain holds more than 1000 bytes") == true)
  }

  // O-13
  @Test func `past the hard limit a write is refused with an error, and nothing is lost`()
    async throws
  {
    let fixture = try DefaultsFixture()
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [directory = fixture.directory as String] in
      let defaults = try DefaultsFixture(in: directory).defaults
      UserDefaults.hardSizeLimit = 1000
      #expect(UserDefaults.hardSizeLimit == 1000)
      let notices = Notices(of: defaults)
      defaults.set(Data(count: 800), forKey: "key")
      #expect(notices.count == 0)
      #expect(throws: DefaultsError.self) { try defaults.store(Data(count: 1100), forKey: "key") }
      #expect(defaults.data(forKey: "key")?.count == 800)
      defaults.set(Data(count: 1200), forKey: "key")
      defaults.set(String(repeating: "x", count: 300), forKey: "other")
      #expect(notices.count == 3)
      #expect(defaults.data(forKey: "key")?.count == 800 && defaults.string(forKey: "other") == nil)
      defaults.set(Data(count: 900), forKey: "key")
      #expect(defaults.data(forKey: "key")?.count == 900, "instead of the 800, not beside them")
      defaults.removeObject(forKey: "key")
      defaults.set(true, forKey: "other")
      #expect(defaults.bool(forKey: "other"))
      UserDefaults.hardSizeLimit = nil
      defaults.set(Data(count: 1300), forKey: "key")
      #expect(defaults.data(forKey: "key")?.count == 1300)
      UserDefaults.hardSizeLimit = 1000
      defaults.set(Data(count: 1200), forKey: "key")
      #expect(defaults.data(forKey: "key")?.count == 1200, "what is too large may shrink")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("the value for key other was not stored: com.example.app would hold"))
    #expect(fixture.defaults.data(forKey: "key")?.count == 1200)
  }

  // O-13, W-16
  @Test func `a domain in memory that becomes too large is told, too`() {
    let defaults = UserDefaults.inMemory()
    let notices = Notices(of: defaults)
    defaults.set(Data(count: 5 << 20), forKey: "large")
    defaults.set(1, forKey: "small")
    #expect(notices.count == 1)
    defaults.removeObject(forKey: "large")
    defaults.set(Data(count: 5 << 20), forKey: "large")
    #expect(notices.count == 2)
  }

  // O-13, W-13
  @Test func `past the hard limit what is moved counts once`() async {
    await #expect(processExitsWith: .success) {
      let defaults = UserDefaults.inMemory(["Old": Data(count: 600)])
      UserDefaults.hardSizeLimit = 1000
      defaults.migrate([.rename("Old", to: "New")])
      #expect(defaults.data(forKey: "New")?.count == 600)
      #expect(defaults.object(forKey: "Old") == nil)
    }
  }

  // O-13
  @Test func `a domain that is too large for one step is not replaced, and the log says so`()
    async throws
  {
    let fixture = try DefaultsFixture()
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [directory = fixture.directory as String] in
      let defaults = try DefaultsFixture(in: directory).defaults
      defaults.setPersistentDomain(["old": 1], forName: "com.example.other")
      let large = Data(count: 70 << 20)
      defaults.setPersistentDomain(["a": large, "b": large], forName: "com.example.other")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("the values of domain com.example.other were not stored"))
    #expect(try fixture.suite("com.example.other").integer(forKey: "old") == 1)
  }

  // O-13
  @Test func `past the hard limit a domain is not replaced`() async throws {
    let fixture = try DefaultsFixture()
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [directory = fixture.directory as String] in
      let defaults = try DefaultsFixture(in: directory).defaults
      defaults.setPersistentDomain(["old": 1], forName: "com.example.other")
      UserDefaults.hardSizeLimit = 1000
      let large = ["new": Data(count: 600), "newer": Data(count: 600)]
      defaults.setPersistentDomain(large, forName: "com.example.other")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("the values of domain com.example.other were not stored"))
    let other = try fixture.suite("com.example.other")
    #expect(other.integer(forKey: "old") == 1 && other.object(forKey: "new") == nil)
  }
}
