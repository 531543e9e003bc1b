import Foundation
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// Notices of changes that tasks of the main actor make, where `main` is asynchronous.
struct MainActorNoticeTests {
  /// Ends the process when it hangs.
  private static func endIfStuck() { alarm(1_200) }

  // O-11, O-12
  @Test func `a task of the main actor sets, and observers on the main queue hear of it`() async {
    await #expect(processExitsWith: .success) {
      Self.endIfStuck()
      let defaults = try DefaultsFixture().defaults
      let (stream, told) = AsyncStream.makeStream(of: String.self)
      let center = NotificationCenter.default
      let tokens = [
        center.addObserver(
          forName: UserDefaults.didChangeNotification, object: nil, queue: .main
        ) { _ in told.yield("on the main queue: \(defaults.integer(forKey: "key"))") },
        center.addObserver(
          forName: UserDefaults.didChangeNotification, object: nil, queue: nil
        ) { _ in told.yield("on no queue: \(defaults.integer(forKey: "key"))") },
      ]
      let message = center.addObserver(of: defaults, for: .didChange) { _ in
        told.yield("message: \(defaults.integer(forKey: "key"))")
      }
      await Task { @MainActor in defaults.set(7, forKey: "key") }.value
      var heard: Set<String> = []
      for await text in stream {
        heard.insert(text)
        if heard.count == 3 { break }
      }
      #expect(heard == ["on the main queue: 7", "on no queue: 7", "message: 7"])
      withExtendedLifetime((tokens, message)) {}
    }
  }

  // O-11, O-13
  @Test func `so it is inside of a notice, and when a domain is too large`() async {
    await #expect(processExitsWith: .success) {
      Self.endIfStuck()
      let defaults = try DefaultsFixture().defaults
      let (stream, told) = AsyncStream.makeStream(of: Int.self)
      let center = NotificationCenter.default
      let tokens = [
        center.addObserver(
          forName: UserDefaults.didChangeNotification, object: defaults, queue: .main
        ) { _ in
          let number = defaults.integer(forKey: "key")
          told.yield(number)
          if number < 3 { defaults.set(number + 1, forKey: "key") }
        },
        center.addObserver(
          forName: UserDefaults.sizeLimitExceededNotification, object: defaults, queue: .main
        ) { _ in told.finish() },
      ]
      await Task { @MainActor in defaults.set(1, forKey: "key") }.value
      var numbers = stream.makeAsyncIterator()
      for number in 1...3 { #expect(await numbers.next() == number) }
      await Task { @MainActor in defaults.set(Data(count: 5 << 20), forKey: "large") }.value
      while await numbers.next() != nil {}
      withExtendedLifetime(tokens) {}
    }
  }

  // O-11
  @Test func `elsewhere a notice comes before the setter returns`() async {
    await #expect(processExitsWith: .success) {
      Self.endIfStuck()
      let defaults = try DefaultsFixture().defaults
      let heard = NotificationCounter(of: defaults)
      await Task.detached {
        defaults.set(1, forKey: "key")
        #expect(heard.count == 1)
      }.value
      OperationQueue.main.addOperation {
        defaults.set(2, forKey: "key")
        #expect(heard.count == 2)
      }
      await Task { @MainActor in }.value
      #expect(heard.count == 2)
    }
  }
}

/// Counts the notices of changes of an object.
private final class NotificationCounter: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var number = 0
  private let lock = NSLock()
  private var token: (any NSObjectProtocol)?

  init(of defaults: UserDefaults) {
    token = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
    ) { [weak self] _ in self?.add() }
  }

  private func add() { lock.withLock { number += 1 } }

  var count: Int { lock.withLock { number } }
}
