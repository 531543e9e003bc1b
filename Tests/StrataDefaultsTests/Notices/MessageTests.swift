import Foundation
import Testing

import class StrataDefaults.UserDefaults

/// The same by the messages of a `NotificationCenter`.
@Suite(.timeLimit(.minutes(1))) struct MessageTests {
  // O-12
  @Test func `a change is a message to those who observe messages`() async throws {
    let defaults = try DefaultsFixture().defaults
    let (stream, told) = AsyncStream.makeStream(of: Int.self)
    let token = NotificationCenter.default.addObserver(of: defaults, for: .didChange) { _ in
      told.yield(defaults.integer(forKey: "key"))
    }
    defer { NotificationCenter.default.removeObserver(token) }
    var answers = stream.makeAsyncIterator()
    defaults.set(7, forKey: "key")
    #expect(await answers.next() == 7)
    defaults.removeObject(forKey: "key")
    #expect(await answers.next() == 0)
  }

  // O-12
  @Test func `changes are a sequence of messages`() async throws {
    let defaults = try DefaultsFixture().defaults
    let messages = NotificationCenter.default.messages(of: defaults, for: .didChange)
    var iterator = messages.makeAsyncIterator()
    defaults.set(1, forKey: "key")
    defaults.register(defaults: ["a": 1])
    #expect(try await iterator.next() != nil)
    #expect(try await iterator.next() != nil)
  }

  // O-12
  @Test @MainActor func `messages become notifications and notifications messages`() {
    typealias Change = UserDefaults.DidChangeMessage
    typealias Size = UserDefaults.SizeLimitExceededMessage
    let change = Notification(name: UserDefaults.didChangeNotification)
    let size = Notification(name: UserDefaults.sizeLimitExceededNotification)
    #expect(Change.makeMessage(change) != nil && Change.makeMessage(size) == nil)
    #expect(Size.makeMessage(size) != nil && Size.makeMessage(change) == nil)
    #expect(Change.makeNotification(Change()) == change)
    #expect(Size.makeNotification(Size()) == size)
    #expect(Change.name == UserDefaults.didChangeNotification)
    #expect(Size.name == UserDefaults.sizeLimitExceededNotification)
  }

  // O-12, O-13
  @Test @MainActor func `a domain that is too large is a message on the main actor`() async throws {
    let defaults = try DefaultsFixture().defaults
    let (stream, told) = AsyncStream.makeStream(of: Bool.self)
    let token = NotificationCenter.default.addObserver(
      of: defaults, for: .sizeLimitExceeded
    ) { _ in
      MainActor.assertIsolated()
      told.yield(true)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    var answers = stream.makeAsyncIterator()
    await Task.detached { defaults.set(Data(count: 5 << 20), forKey: "key") }.value
    #expect(await answers.next() == true)
    defaults.removeObject(forKey: "key")
    defaults.set(Data(count: 5 << 20), forKey: "key")
    #expect(await answers.next() == true)
  }
}
