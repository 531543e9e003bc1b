import Foundation
import Testing

import class StrataDefaults.UserDefaults

/// The same by the messages of a `NotificationCenter`.
struct MessageTests {
  /// What an observer tells a test, which waits half an hour at most: other tests may keep all
  /// threads busy on which messages are told.
  private func makeStream() -> (AsyncStream<Int>, AsyncStream<Int>.Continuation) {
    let (stream, told) = AsyncStream.makeStream(of: Int.self)
    DispatchQueue.global().asyncAfter(deadline: .now() + 1_800) { told.finish() }
    return (stream, told)
  }

  // O-12
  @Test func `a change is a message to those who observe messages`() async throws {
    let defaults = try DefaultsFixture().defaults
    let (stream, told) = makeStream()
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
    let (stream, told) = makeStream()
    let token = NotificationCenter.default.addObserver(
      of: defaults, for: .sizeLimitExceeded
    ) { _ in
      MainActor.assertIsolated()
      told.yield(1)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    var answers = stream.makeAsyncIterator()
    await Task.detached { defaults.set(Data(count: 5 << 20), forKey: "key") }.value
    #expect(await answers.next() == 1)
    defaults.removeObject(forKey: "key")
    defaults.set(Data(count: 5 << 20), forKey: "key")
    #expect(await answers.next() == 1)
  }
}
