import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

private struct Refusal: Error {}

/// Reading and setting as one step, within one process.
struct TransactionTests {
  private let defaults = UserDefaults.inMemory()

  // W-11
  @Test func `an update reads what is set, else what is behind it, and sets what it makes`() {
    #expect(
      defaults.update(.counter) { (count: inout Int) in
        count += 1; return "done"
      } == "done")
    #expect(defaults.counter == 1)
    defaults.register(defaults: ["Other": 5])
    defaults.update("Other", default: 0) { $0 *= 2 }
    #expect(defaults.integer(forKey: "Other") == 10)
    defaults.update(.nickname) { $0 = "N" }
    defaults.update(.nickname) { $0 = nil }
    #expect(defaults.object(forKey: "Nickname") == nil)
  }

  // W-11
  @Test func `what hides a value hides it from no update`() {
    let defaults = UserDefaults.inMemory(arguments: ["-Counter", "100"])
    for _ in 0..<3 { defaults.update(.counter) { $0 += 1 } }
    #expect(defaults.counter == 100)
    #expect(defaults.stack.own.value(forKey: "Counter") == 3)
  }

  // W-11
  @Test func `an update that changes nothing, throws, or is not allowed sets nothing`() {
    defaults.update(.counter) { _ in }
    #expect(!defaults.isSet(.counter))
    #expect(throws: Refusal.self) {
      try defaults.update(.counter) { (count: inout Int) throws(Refusal) in
        count = 5
        throw Refusal()
      }
    }
    defaults.update(.fontSize) { $0 = 500 }
    #expect(!defaults.isSet(.counter) && !defaults.isSet(.fontSize))
  }

  // W-11, W-8
  @Test func `an update sets its value over what the key can't read`() {
    let nickname = UserDefaults.Key<Int?>("Untyped")
    defaults.set("garbage", forKey: "FontSize")
    defaults.set("garbage", forKey: "Untyped")
    defaults.update(.fontSize) { $0 = 12 }
    defaults.update(nickname) { $0 = nil }
    #expect(defaults.stack.own.value(forKey: "FontSize") == 12)
    #expect(defaults.stack.own.value(forKey: "Untyped") == nil)
    defaults.register(defaults: ["Counter": "garbage"])
    defaults.update(.counter) { $0 = 0 }
    #expect(defaults.stack.own.value(forKey: "Counter") == 0)
  }

  // W-11
  @Test func `an update that ends with the value that is there sets nothing`() {
    defaults.register(defaults: ["Counter": 5])
    defaults.set("20", forKey: "FontSize")
    let changes = defaults.recordChanges {
      defaults.update(.counter) { $0 = 5 }
      defaults.update(.fontSize) { $0 = 20 }
      defaults.update(.columns) { $0 = 2 }
      defaults.update(.nickname) { $0 = nil }
    }
    #expect(changes == [])
  }

  // W-11
  @Test func `another's change in between is seen, and the closure is called again`() throws {
    let fixture = try DefaultsFixture()
    for defaults in [defaults, fixture.defaults] {
      var calls = 0
      defaults.update(.counter) { count in
        calls += 1
        if calls == 1 { UserDefaults(on: defaults.stack).set(10, forKey: "Counter") }
        count += 1
      }
      #expect(calls == 2 && defaults.counter == 11)
    }
  }

  // W-11
  @Test func `a transaction sets everything at one moment, and its reads are of one`() throws {
    let fixture = try DefaultsFixture()
    for defaults in [defaults, fixture.defaults] {
      defaults.counter = 3
      let heard = Box<[Int]>()
      let observation = defaults.observe("Counter", as: Int.self) { [unowned defaults] _ in
        heard.add([defaults.counter, defaults.integer(forKey: "Untyped")])
      }
      var calls = 0
      let result = defaults.transaction { draft in
        calls += 1
        draft[.counter] += 1
        if calls == 1 { UserDefaults(on: defaults.stack).set(7, forKey: "Counter") }
        draft["Untyped"] = .integer(Int64(draft[.counter]))
        draft[.theme] = .dark
        return draft[.theme]
      }
      #expect(result == .dark && calls == 2 && defaults.theme == .dark)
      #expect(heard.all == [[7, 0], [8, 8]])
      observation.cancel()
      defaults.transaction { draft in
        draft["Untyped"] = nil
        #expect(draft["Untyped"] == nil && draft[.counter] == 8)
      }
      #expect(defaults.object(forKey: "Untyped") == nil)
    }
  }

  // W-11
  @Test func `a transaction that throws or holds what can't be stored sets nothing`() {
    #expect(throws: Refusal.self) {
      try defaults.transaction { draft throws(Refusal) in
        draft[.counter] = 1
        throw Refusal()
      }
    }
    defaults.transaction { draft in
      draft[.counter] = 1
      draft[.fontSize] = 500
    }
    #expect(defaults.snapshot()["Counter"] == nil && !defaults.isSet(.fontSize))
  }

  // W-11
  @Test func `a change in a transaction is one notice`() {
    let notices = Box<Int>()
    let token = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
    ) { _ in notices.add(1) }
    defaults.transaction { draft in
      draft[.counter] = 1
      draft[.theme] = .dark
    }
    NotificationCenter.default.removeObserver(token)
    #expect(notices.count == 1)
  }

  // W-8, W-11
  @Test func `a value of a snapshot that the key can't read is reported once`() {
    let heard = Box<String>()
    defaults.onMismatch { heard.add($0.description) }
    defaults.set("many", forKey: "Counter")
    let snapshot = defaults.snapshot()
    for _ in 0..<2 { #expect(snapshot.counter == 0 && snapshot == defaults.snapshot()) }
    #expect(heard.all.count == 1 && heard.all.first?.hasPrefix("Counter: \"many\"") == true)
    #expect(defaults.counter == 0 && heard.all.count == 1)
  }

  // W-11
  @Test func `a snapshot stays as it was, and says what the search list says`() {
    defaults.register(defaults: ["Theme": "light"])
    (defaults.counter, defaults.layout) = (4, Layout(columns: 3))
    let snapshot = defaults.snapshot()
    defaults.counter = 5
    defaults.theme = .dark
    #expect(snapshot.counter == 4 && snapshot[.theme] == .light && snapshot["Counter"] == 4)
    #expect(snapshot[.layout].columns == 3 && snapshot[.fontSize] == 12)
  }

  // W-11, O-4
  @Test func `observers are warned of what a transaction will change`() {
    let heard = Box<String>()
    let observation = defaults.observe("Counter", as: Int.self, options: .prior) {
      heard.add("\($0.isPrior ? "before" : "after") \($0.new ?? 0)")
    }
    defaults.transaction { $0[.counter] = 5 }
    observation.cancel()
    #expect(heard.all == ["before 5", "after 5"])
  }

  // W-11
  @Test(arguments: ["update", "transaction", "what was read"])
  func `a closure that sets what it was given by another way ends the program`(
    kind: String
  ) async throws {
    let result = try await #require(
      processExitsWith: .signal(SIGILL), observing: [\.standardErrorContent]
    ) { [kind] in
      // So that one that is called for ever ends, too.
      var limit = rlimit(rlim_cur: 20, rlim_max: 20)
      setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit)
      let defaults = UserDefaults.inMemory()
      switch kind {
      case "update":
        defaults.update(.counter) { value in
          value += 1
          defaults.update(.counter) { $0 += 1 }
        }
      case "transaction":
        defaults.transaction { draft in
          draft[.counter] += 1
          defaults.counter += 10
        }
      default:
        defaults.transaction { draft in
          _ = draft[.counter]
          draft["Other"] = 1
          defaults.transaction { $0[.counter] += 1 }
        }
      }
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("sets key \"Counter\" other than through its argument"))
  }

  // W-11
  @Test func `a closure may set what it was not given`() {
    defaults.update(.counter) { value in
      value += 1
      defaults.theme = .dark
      defaults.transaction { $0["Other"] = 1 }
    }
    #expect(defaults.counter == 1 && defaults.theme == .dark)
  }

  // W-11, O-13
  @Test func `past the hard limit a transaction sets nothing of what it holds`() async {
    await #expect(processExitsWith: .success) {
      let defaults = UserDefaults.inMemory()
      UserDefaults.hardSizeLimit = 1_000
      defaults.transaction { draft in
        draft[.counter] = 1
        draft["Text"] = .string(String(repeating: "x", count: 600))
        draft["Other"] = .string(String(repeating: "x", count: 600))
      }
      guard defaults.snapshot()["Counter"] == nil, defaults.snapshot()["Text"] == nil else {
        exit(1)
      }
      defaults.transaction { $0[.counter] = 1 }
      exit(defaults.counter == 1 ? 0 : 2)
    }
  }

  // W-17
  @Test func `a recorder tells what is set and removed, in order, and of these settings only`()
    async
  {
    let other = UserDefaults.inMemory()
    let changes = defaults.recordChanges {
      defaults.theme = .dark
      UserDefaults(on: defaults.stack).set(5, forKey: "Counter")
      other.theme = .light
      defaults.reset(.theme)
      defaults.set(5, forKey: "Counter")
    }
    #expect(
      changes == [
        .set("Theme", "dark"), .set("Counter", 5), .remove("Theme"), .set("Counter", 5),
      ])
    #expect(defaults.recordChanges { defaults.transaction { $0[.counter] = 1 } }.count == 1)
    let later = await defaults.recordChanges { await Task { defaults.counter = 6 }.value }
    #expect(later == [.set("Counter", 6)])
    let name = defaults.stack.identifier.name
    let replaced = defaults.recordChanges {
      defaults.setPersistentDomain(["Counter": 7, "A": 1], forName: name)
      defaults.setPersistentDomain(["Counter": 7], forName: name)
      defaults.removePersistentDomain(forName: name)
    }
    #expect(
      replaced == [
        .set("A", 1), .set("Counter", 7), .remove("A"), .set("Counter", 7), .remove("Counter"),
      ])
    #expect(defaults.recordChanges {} == [])
  }
}
