import Foundation
import StrataPropertyList
import Testing

import class StrataDefaults.UserDefaults

/// Many threads that use the same settings.
struct DefaultsConcurrencyTests {
  /// Does the same on so many threads at once, each with its number, and waits for all.
  private func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) {
    let (begin, end) = (DispatchSemaphore(value: 0), DispatchGroup())
    for number in 0..<count {
      end.enter()
      Thread.detachNewThread {
        begin.wait()
        work(number)
        end.leave()
      }
    }
    for _ in 0..<count { begin.signal() }
    end.wait()
  }

  // V-28
  @Test func `eight threads use one object without a lock, and each finds what it set`() throws {
    let fixture = try DefaultsFixture()
    let defaults = fixture.defaults
    let (suite, rounds) = (try fixture.suite("com.example.suite"), 300)
    defaults.addSuite(named: "com.example.suite")
    let token = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
    ) { _ in _ = defaults.integer(forKey: "shared") }
    defer { NotificationCenter.default.removeObserver(token) }
    onThreads(8) { thread in
      for round in 0..<rounds {
        defaults.set(round, forKey: "thread\(thread)")
        #expect(defaults.integer(forKey: "thread\(thread)") == round)
        defaults.set("\(thread).\(round)", forKey: "shared")
        #expect(defaults.string(forKey: "shared")?.contains(".") == true)
        use(defaults, suite, thread, round)
      }
      defaults.set(["of": thread], forKey: "last\(thread)")
    }
    for thread in 0..<8 {
      #expect(defaults.integer(forKey: "thread\(thread)") == rounds - 1)
      #expect(defaults.dictionary(forKey: "last\(thread)") as? [String: Int] == ["of": thread])
      #expect(defaults.integer(forKey: "registered\(thread)") == thread)
      #expect(defaults.integer(forKey: "suite\(thread)") == rounds - 1)
    }
    #expect(defaults.synchronize())
  }

  /// One of the rarer things that a thread may do.
  private func use(_ defaults: UserDefaults, _ suite: UserDefaults, _ thread: Int, _ round: Int) {
    switch round % 10 {
    case 0: defaults.register(defaults: ["registered\(thread)": thread])
    case 1: _ = defaults.dictionaryRepresentation()
    case 2: defaults.removeObject(forKey: "gone")
    case 3: defaults.set(URL(string: "http://example.com/\(round)"), forKey: "gone")
    case 4: defaults.setVolatileDomain(["a": round], forName: "v\(thread)")
    case 5: _ = defaults.volatileDomainNames
    case 6: defaults.setPersistentDomain(["a": round], forName: "com.example.p\(thread)")
    case 7: defaults.synchronize()
    case 8: defaults.addSuite(named: "com.example.s\(thread)")
    default: suite.set(round, forKey: "suite\(thread)")
    }
  }

  // V-27
  @Test func `what is set in one instance of a suite is at once in every other one`() throws {
    let fixture = try DefaultsFixture()
    let objects = try (0..<4).map { _ in try fixture.suite("com.example.suite") }
    #expect(Set(objects.map(ObjectIdentifier.init)).count == 4)
    for (number, object) in objects.enumerated() {
      object.set(number, forKey: "key")
      #expect(objects.map { $0.integer(forKey: "key") } == Array(repeating: number, count: 4))
    }
    onThreads(4) { thread in
      for round in 0..<300 {
        objects[thread].set(round, forKey: "thread\(thread)")
        #expect(objects[(thread + 1) % 4].integer(forKey: "thread\(thread)") == round)
      }
    }
  }

  // V-28
  @Test func `objects of many threads begin together and see the same`() throws {
    for round in 0..<20 {
      let fixture = try DefaultsFixture(arguments: ["argument": .string("YES")])
      fixture.defaults.set(round, forKey: "key")
      fixture.flush()
      let process = fixture.process
      onThreads(8) { _ in
        do {
          let defaults = try DefaultsFixture.defaults(DefaultsFixture.identifier, of: process)
          #expect(defaults.integer(forKey: "key") == round && defaults.bool(forKey: "argument"))
          #expect(defaults.array(forKey: "AppleLanguages")?.isEmpty == false)
        } catch {
          Issue.record(error)
        }
      }
    }
  }
}
