import Dispatch
import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// Stored values that a key can't decode, when a step replaces them.
struct UndecodableValueTests {
  private let defaults = UserDefaults.inMemory()
  private let heard = Box<UserDefaults.Mismatch>()

  init() { defaults.onMismatch { [heard] in heard.add($0) } }

  private func stored(_ key: String) -> PropertyListValue? {
    defaults.stack.own.value(forKey: key)
  }

  private var keeps: [String] { heard.all.compactMap(\.keptUnder) }

  private final class AtEnd: Sendable {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
  }

  private static func keeping(_ object: AtEnd) -> @Sendable (UserDefaults.Mismatch) -> Void {
    { _ in withExtendedLifetime(object) {} }
  }

  @Test func `what a handler keeps may set a handler when it ends`() {
    let done = DispatchSemaphore(value: 0)
    // On another thread, since one that waits for itself can't be ended.
    Thread.detachNewThread { [defaults] in
      let atEnd: @Sendable () -> Void = { [weak defaults] in
        defaults?.onMismatch(nil)
        done.signal()
      }
      defaults.onMismatch(Self.keeping(AtEnd(atEnd)))
      defaults.onMismatch(nil)
    }
    #expect(done.wait(timeout: .now() + 600) == .success)
  }

  // W-8, W-12
  @Test func `what a transaction can't decode is told, also if it is only read`() {
    defaults.set("garbage", forKey: "Layout")
    for _ in 0..<2 { #expect(defaults.transaction { $0[.layout] } == Layout()) }
    #expect(heard.all.map(\.stored) == ["garbage"])
    #expect(keeps.isEmpty && stored("Layout") == "garbage")
  }

  // W-8, W-11
  @Test func `what an update can't decode is kept beside it, once, and where is told`() {
    let old: PropertyListValue = ["columns": "of an older version", "notes": ["a", "b"]]
    defaults.set(["columns": "of an older version", "notes": ["a", "b"]], forKey: "Layout")
    let changes = defaults.recordChanges {
      for _ in 0..<3 { defaults.update(.layout) { $0.columns += 1 } }
    }
    #expect(defaults.layout == Layout(columns: 4))
    #expect(stored("Layout.undecodable") == old)
    #expect(changes.filter { $0 == .set("Layout.undecodable", old) }.count == 1)
    #expect(keeps == ["Layout.undecodable"])
    #expect(heard.all.last?.stored == old)
    #expect("\(heard.all.map(\.description))".contains("kept under the key Layout.undecodable"))
  }

  // W-8
  @Test func `a second one is kept beside the first, and an equal one is there already`() {
    let nickname = UserDefaults.Key<Int?>("Untyped")
    for (value, names) in [
      ("one", 1), ("one", 1), ("two", 2), ("three", 3), ("two", 3), ("one", 3),
    ] {
      defaults.set(value, forKey: "Untyped")
      defaults.update(nickname) { $0 = nil }
      #expect(stored("Untyped") == nil)
      #expect(defaults.stack.own.snapshot().values.count == names, "\(value)")
    }
    #expect(stored("Untyped.undecodable") == "one")
    #expect(stored("Untyped.undecodable-2") == "two")
    #expect(stored("Untyped.undecodable-3") == "three")
  }

  // W-8
  @Test func `an update that can't keep the old value leaves it as it was`() {
    let long = UserDefaults.Key(String(repeating: "k", count: 1 << 16), default: 0)
    defaults.set("garbage", forKey: long.name)
    defaults.update(long) { $0 = 1 }
    #expect(stored(long.name) == "garbage" && keeps.isEmpty)
    for number in 0...100 {
      defaults.set("garbage \(number)", forKey: "Counter")
      defaults.update(.counter) { $0 = number }
    }
    #expect(stored("Counter") == "garbage 100")
    #expect(keeps.count == 100)
  }

  // W-8
  @Test func `nothing is kept where nothing is replaced`() {
    defaults.set("garbage", forKey: "Counter")
    defaults.update(.counter) { _ = $0 }
    #expect(stored("Counter.undecodable") == "garbage", "the default took its place")
    defaults.register(defaults: ["FontSize": "garbage"])
    defaults.update(.fontSize) { $0 = 20 }
    #expect(stored("FontSize.undecodable") == nil && stored("FontSize") == 20)
    defaults.set("12", forKey: "FontSize")
    defaults.update(.fontSize) { $0 += 1 }
    #expect(stored("FontSize.undecodable") == nil && stored("FontSize") == 13)
  }

  // W-8, W-11
  @Test func `what a transaction can't decode is kept, too, in the same step`() {
    defaults.set("garbage", forKey: "Counter")
    defaults.set("garbage", forKey: "FontSize")
    defaults.set("garbage", forKey: "Columns")
    defaults.transaction { draft in
      draft[.counter] += 1
      draft[.fontSize] = 20
      _ = draft[.columns]
    }
    #expect(stored("Counter") == 1 && stored("Counter.undecodable") == "garbage")
    #expect(stored("FontSize") == 20 && stored("FontSize.undecodable") == nil)
    #expect(stored("Columns") == "garbage" && stored("Columns.undecodable") == nil)
    #expect(keeps == ["Counter.undecodable"])
  }

  // W-8, S-5
  @Test func `another's change in between keeps what counts by then`() throws {
    let fixture = try DefaultsFixture()
    let defaults = fixture.defaults
    defaults.set("one", forKey: "Counter")
    var calls = 0
    defaults.update(.counter) { count in
      calls += 1
      if calls == 1 { UserDefaults(on: defaults.stack).set("two", forKey: "Counter") }
      count = 5
    }
    #expect(calls == 2 && defaults.counter == 5)
    #expect(defaults.string(forKey: "Counter.undecodable") == "two")
    #expect(defaults.object(forKey: "Counter.undecodable-2") == nil)
  }
}
