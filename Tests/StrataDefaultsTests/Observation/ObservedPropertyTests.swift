import Foundation
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// Properties that are computed from defaults, observed by their key paths.
@Suite struct ObservedPropertyTests {
  private let fixture: DefaultsFixture
  private var defaults: UserDefaults { fixture.defaults }

  init() throws { fixture = try DefaultsFixture() }

  // O-1
  @Test func `a property that is computed from defaults is observed by its key path`() {
    let heard = Guarded<[String]>([])
    let observation = defaults.observe(\.fullName, options: [.old, .new, .initial]) { _, change in
      heard.withLock { $0.append("\(change.oldValue ?? "-") → \(change.newValue ?? "-")") }
    }
    defaults.set("Ada", forKey: "First")
    defaults.set("Lovelace", forKey: "Last")
    defaults.set("x", forKey: "Other")
    observation.invalidate()
    defaults.set("y", forKey: "Last")
    #expect(heard.withLock { $0 } == ["- →  ", " ".appending(" → Ada "), "Ada  → Ada Lovelace"])
  }

  @MainActor private final class Label {
    var text = ""
  }

  // O-1
  @MainActor @Test func `what is told of a property can be taken to an actor`() {
    let label = Label()
    let observation = defaults.observe(\.fullName, options: .new) { _, change in
      MainActor.assumeIsolated { label.text = change.newValue ?? "-" }
    }
    defaults.set("Ada", forKey: "First")
    #expect(label.text == "Ada ")
    observation.invalidate()
  }

  // O-8
  @Test func `two keys of a computed property may have dots`() {
    let count = Guarded(0)
    let observation = defaults.observe(\.dotted) { _, _ in count.withLock { $0 += 1 } }
    defaults.set(true, forKey: "a.b")
    #expect(count.withLock { $0 } == 1)
    observation.invalidate()
  }

  // O-1
  @Test func `a property is observed by the keys that it reads now`() {
    let heard = Guarded<[String?]>([])
    let observation = defaults.observe(\.shownName, options: .new) { _, change in
      heard.withLock { $0.append(change.newValue ?? nil) }
    }
    defaults.set("Ada", forKey: "First")
    defaults.set("Countess", forKey: "Nick")  // not shown, and not read
    defaults.set(true, forKey: "ShowsNick")
    defaults.set("Lady", forKey: "Nick")
    #expect(heard.withLock { $0.last } == "Lady")
    defaults.set("Augusta", forKey: "First")  // not read any more
    #expect(heard.withLock { $0 } == ["Ada", "Countess", "Lady"])
    observation.invalidate()
  }

  // O-1
  @Test func `a property is told of what it reads in a transaction`() {
    let count = Guarded(0)
    let observation = defaults.observe(\.balance) { _, _ in count.withLock { $0 += 1 } }
    defaults.set(1, forKey: "Credit")
    defaults.set(2, forKey: "Debit")
    #expect(count.withLock { $0 } == 2)
    observation.invalidate()
  }

  // O-1
  @Test func `a property is told of what it reads of other settings, and only of that`() throws {
    let reader = try Reader(fixture)
    let count = Guarded(0)
    let observation = reader.observe(\.total) { _, _ in count.withLock { $0 += 1 } }
    reader.other.set(1, forKey: "Elsewhere")
    reader.set(1, forKey: "Unread")
    #expect(count.withLock { $0 } == 1)
    reader.set(1, forKey: "Size")
    #expect(count.withLock { $0 } == 2)
    observation.invalidate()
  }

  // O-1, O-3
  @Test func `a property whose value stays the same is told nothing`() {
    let heard = Guarded<[Bool?]>([])
    let observation = defaults.observe(\.isLarge, options: [.new, .initial]) { _, change in
      heard.withLock { $0.append(change.newValue) }
    }
    for size in [5, 50, 60, 7] { defaults.set(size, forKey: "Size") }
    #expect(heard.withLock { $0 } == [false, true, false])
    observation.invalidate()
  }

  // O-1
  @Test func `a property that comes to read more keys is told of each change of one`() {
    let heard = Guarded<[Int?]>([])
    let observation = defaults.observe(\.sum, options: .new) { _, change in
      heard.withLock { $0.append(change.newValue) }
    }
    for (value, key) in [(1, "A"), (5, "B"), (5, "A"), (1, "B")] {
      defaults.set(value, forKey: key)
    }
    #expect(heard.withLock { $0 } == [1, 6, 10, 6])
    observation.invalidate()
  }

  // O-1, O-3
  @Test func `an optional property is told when it has no value any more, and once`() {
    let heard = Guarded<[String??]>([])
    let observation = defaults.observe(\.first, options: .new) { _, change in
      heard.withLock { $0.append(change.newValue) }
    }
    defaults.set("Ada", forKey: "First")
    defaults.set([1], forKey: "First")  // no string
    defaults.set([2], forKey: "First")
    #expect(heard.withLock { $0 } == ["Ada", .some(nil)])
    observation.invalidate()
  }

  // O-1, O-5
  @Test func `a property may be set inside of a call, and its token keeps what is observed`() throws
  {
    var suite: UserDefaults? = try fixture.suite("com.example.suite")
    let count = Guarded(0)
    let observation = suite?.observe(\.size) { defaults, _ in
      count.withLock { $0 += 1 }
      if defaults.size < 3 { defaults.set(defaults.size + 1, forKey: "Size") }
    }
    suite?.set(1, forKey: "Size")
    #expect(suite?.size == 3)
    #expect(count.withLock { $0 } == 3)
    weak let gone = suite
    suite = nil
    #expect(gone != nil, "the token keeps it")
    observation?.invalidate()
  }
}

private extension UserDefaults {
  var fullName: String {
    (string(forKey: "First") ?? "") + " " + (string(forKey: "Last") ?? "")
  }
  var dotted: Bool { bool(forKey: "a.b") }
  var first: String? { string(forKey: "First") }
  var shownName: String? { bool(forKey: "ShowsNick") ? string(forKey: "Nick") : first }
  var size: Int { integer(forKey: "Size") }
  var sum: Int {
    let one = integer(forKey: "A")
    return one > 0 ? one + integer(forKey: "B") : 0
  }
  var isLarge: Bool { size > 10 }
  var balance: [PropertyListValue?] { transaction { [$0["Credit"], $0["Debit"]] } }
}

/// Settings with a property that reads those of another suite, too.
private final class Reader: UserDefaults, @unchecked Sendable {
  // Safety: a constant, set before anybody else knows of this object.
  private(set) var other = UserDefaults.inMemory()

  convenience init(_ fixture: DefaultsFixture) throws {
    self.init(on: fixture.defaults.stack)
    other = try fixture.suite("com.example.other")
  }

  var total: Int {
    size + other.integer(forKey: "Elsewhere") + dictionaryRepresentation().count
  }
}
