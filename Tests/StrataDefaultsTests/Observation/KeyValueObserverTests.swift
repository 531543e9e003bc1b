import Foundation
import StrataDomains
import StrataPropertyList
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// Objects that observe keys as with Apple's key-value observing.
@Suite struct KeyValueObserverTests {
  private let fixture: DefaultsFixture
  private var defaults: UserDefaults { fixture.defaults }

  init() throws { fixture = try DefaultsFixture(arguments: ["Argument": .string("x")]) }

  /// Notes what it is told, as text.
  private final class Ear: KeyValueObserver {
    var heard: [String] = []
    var contexts: [UnsafeMutableRawPointer?] = []
    var reaction: ((Ear) -> Void)?

    override func observeValue(
      forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
      context: UnsafeMutableRawPointer?
    ) {
      let text = { (key: NSKeyValueChangeKey) in
        change?[key].map { $0 is NSNull ? "null" : "\($0)" } ?? "-"
      }
      let prior = change?[.notificationIsPriorKey] == nil ? "" : "prior "
      contexts.append(context)
      heard.append("\(prior)\(keyPath ?? "?") \(text(.oldKey)) \(text(.newKey))")
      reaction?(self)
    }
  }

  // O-1, O-4
  @Test func `an observer is told old and new, and NSNull where there is no value`() {
    let ear = Ear()
    defaults.addObserver(ear, forKeyPath: "a", options: [.old, .new], context: nil)
    defaults.set(1, forKey: "a")
    defaults.set("two", forKey: "a")
    defaults.removeObject(forKey: "a")
    #expect(ear.heard == ["a null 1", "a 1 two", "a two null"])
  }

  // O-1
  @Test func `what is removed without a context has none, unless no context is said`() {
    let (ear, context) = (Ear(), UnsafeMutableRawPointer(bitPattern: 1))
    for context in [nil, context, context] {
      defaults.addObserver(ear, forKeyPath: "a", context: context)
    }
    defaults.removeObserver(ear, forKeyPath: "a", context: nil)
    defaults.set(1, forKey: "a")
    #expect(ear.contexts == [context, context])
    defaults.removeObserver(ear, forKeyPath: "a")
    defaults.set(2, forKey: "a")
    #expect(ear.contexts == [context, context, context])
    defaults.removeObserver(ear, forKeyPath: "a", context: context)
    defaults.set(3, forKey: "a")
    #expect(ear.contexts.count == 3)
  }

  // O-4
  @Test func `whole domains and exact places warn before they change a key, too`() throws {
    let ear = Ear()
    defaults.addObserver(ear, forKeyPath: "a", options: [.new, .prior], context: nil)
    let name = DefaultsFixture.identifier
    defaults.setPersistentDomain(["a": 1, "b": 1], forName: name)
    defaults.removePersistentDomain(forName: name)
    let place = try Preferences(
      DomainIdentifier(name, isSetUID: false), user: .current, host: .any, in: fixture.process)
    try place.set(2, forKey: "a")
    let steps = ["prior a - -", "a - 1", "prior a - -", "a - null", "prior a - -", "a - 2"]
    #expect(ear.heard == steps)
    defaults.removeObserver(ear, forKeyPath: "a")
  }

  // O-4
  @Test func `options say what is told, and initial and prior when`() {
    let (plain, early) = (Ear(), Ear())
    defaults.set(1, forKey: "a")
    defaults.addObserver(plain, forKeyPath: "a", context: nil)
    defaults.addObserver(
      early, forKeyPath: "a", options: [.initial, .new, .old, .prior], context: nil)
    #expect(early.heard == ["a - 1"])
    defaults.set(2, forKey: "a")
    #expect(plain.heard == ["a - -"])
    #expect(early.heard == ["a - 1", "prior a 1 -", "a 1 2"])
    defaults.set(2, forKey: "a")
    #expect(early.heard.count == 3, "nothing changes, and so nobody is warned")
  }

  // O-3
  @Test func `only another effective value is told`() {
    let ear = Ear()
    defaults.register(defaults: ["Registered": 5])
    for key in ["Argument", "Registered"] {
      defaults.addObserver(ear, forKeyPath: key, options: [.old, .new, .prior], context: nil)
    }
    defaults.set("hidden", forKey: "Argument")
    defaults.set(5, forKey: "Registered")
    #expect(ear.heard == [])
    defaults.set(6, forKey: "Registered")
    defaults.removeObject(forKey: "Registered")
    #expect(
      ear.heard == [
        "prior Registered 5 -", "Registered 5 6", "prior Registered 6 -", "Registered 6 5",
      ])
  }

  // O-8
  @Test(arguments: ["a.b.c", "@count", ".", "", "@", "caf\u{E9}.x"])
  func `a key with dots or an at sign is a key`(key: String) {
    let ear = Ear()
    defaults.addObserver(ear, forKeyPath: key, options: .new, context: nil)
    defaults.set(true, forKey: key)
    #expect(ear.heard == ["\(key) - 1"])
  }

  // O-5
  @Test func `an observer may read, set, and add and remove observers, itself too`() {
    let (first, second) = (Ear(), Ear())
    first.reaction = { [fixture] ear in
      guard fixture.defaults.integer(forKey: "a") == 1 else { return }
      fixture.defaults.set(2, forKey: "a")
      fixture.defaults.addObserver(second, forKeyPath: "a", options: .new, context: nil)
      fixture.defaults.removeObserver(ear, forKeyPath: "a")
    }
    defaults.addObserver(first, forKeyPath: "a", options: .new, context: nil)
    defaults.set(1, forKey: "a")
    #expect(first.heard == ["a - 1", "a - 2"])
    defaults.set(3, forKey: "a")
    #expect(first.heard.count == 2)
    #expect(second.heard == ["a - 3"])
  }

  // O-1, O-5
  @Test func `each registration is ended by one removal, by its context where there is one`() {
    let ear = Ear()
    var (one, two) = (1, 2)
    withUnsafeMutablePointer(to: &one) { one in
      withUnsafeMutablePointer(to: &two) { two in
        defaults.addObserver(ear, forKeyPath: "a", context: one)
        defaults.addObserver(ear, forKeyPath: "a", context: two)
        defaults.set(1, forKey: "a")
        #expect(ear.heard.count == 2)
        defaults.removeObserver(ear, forKeyPath: "a", context: one)
        defaults.set(2, forKey: "a")
        #expect(ear.contexts.dropFirst(2) == [UnsafeMutableRawPointer(two)])
        defaults.removeObserver(ear, forKeyPath: "a", context: one)
        defaults.addObserver(ear, forKeyPath: "a", context: one)
        defaults.removeObserver(ear, forKeyPath: "a")
        defaults.set(3, forKey: "a")
        #expect(
          ear.contexts.dropFirst(3) == [UnsafeMutableRawPointer(two)],
          "without a context the newest goes")
        defaults.removeObserver(ear, forKeyPath: "a", context: two)
        defaults.set(4, forKey: "a")
        #expect(ear.heard.count == 4)
      }
    }
  }

  // O-10
  @Test func `who is gone is told nothing, and what is observed may go first`() throws {
    var ear: Ear? = Ear()
    weak let gone = ear
    defaults.addObserver(try #require(ear), forKeyPath: "a", context: nil)
    #expect(fixture.process.isObserved)
    ear = nil
    #expect(gone == nil, "an observer is not kept alive")
    #expect(!fixture.process.isObserved)
    defaults.set(1, forKey: "a")
    let left = Ear()
    var suite: UserDefaults? = try fixture.suite("com.example.suite")
    suite?.addObserver(left, forKeyPath: "a", context: nil)
    suite = nil
    #expect(!fixture.process.isObserved)
    try fixture.suite("com.example.suite").set(1, forKey: "a")
    #expect(left.heard == [])
  }

  // O-6
  @Test func `suites, registered values and volatile domains are told of too`() throws {
    let ear = Ear()
    defaults.addObserver(ear, forKeyPath: "a", options: .new, context: nil)
    defaults.register(defaults: ["a": 1])
    try fixture.suite("com.example.suite").set(2, forKey: "a")
    defaults.addSuite(named: "com.example.suite")
    try fixture.suite("com.example.suite").set(3, forKey: "a")
    defaults.setPersistentDomain(["a": 4], forName: "NSGlobalDomain")
    defaults.removeSuite(named: "com.example.suite")
    defaults.setVolatileDomain(["a": 5], forName: UserDefaults.argumentDomain)
    defaults.removeVolatileDomain(forName: UserDefaults.argumentDomain)
    #expect(ear.heard == ["a - 1", "a - 2", "a - 3", "a - 4", "a - 5", "a - 4"])
  }
}
