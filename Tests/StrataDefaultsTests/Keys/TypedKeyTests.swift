import Foundation
import Observation
import StrataPropertyList
import StrataStorage
import Synchronization
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

private struct Settings {
  @Default(.theme) var theme
  @Default(.fontSize) var fontSize: Int
}

private final class Owner {
  let store: UserDefaults
  @Default(.theme) var theme
  init(_ store: UserDefaults) {
    self.store = store
    _theme = Default(.theme, store: store)
  }
}

private actor Worker {
  @Default(.counter, store: .inMemory()) var counter
  func work() -> Int {
    counter += 1
    return counter
  }
}

@Observable private final class Model {
  @ObservationIgnored @Default(.theme) var theme
  init(_ store: UserDefaults) { _theme = Default(.theme, store: store) }
}

/// Typed keys: what they say, and how values are got at.
struct TypedKeyTests {
  private let defaults = UserDefaults.inMemory()

  // W-6
  @Test func `a key is read and set by subscript and by its name, without any nil`() {
    #expect(defaults[.theme] == .system && defaults.theme == .system)
    defaults[.theme] = .dark
    #expect(defaults.theme == .dark && defaults.string(forKey: "Theme") == "dark")
    defaults.theme = .light
    #expect(defaults[.theme] == .light)
    defaults.fontSize += 2
    #expect(defaults.integer(forKey: "FontSize") == 14)
  }

  // W-6
  @Test func `an optional type needs no default, and nil takes the value away`() {
    #expect(defaults[.nickname] == nil)
    defaults.nickname = "N"
    #expect(defaults[.nickname] == "N")
    defaults.nickname = nil
    #expect(defaults.object(forKey: "Nickname") == nil)
  }

  // W-6
  @Test func `a key knows its title, description, range, choices and redaction`() {
    let size = UserDefaults.Keys.fontSize
    #expect(size.title == "Font size" && size.description == "In points." && !size.isRedacted)
    #expect(size.bounds?.least == 6 && size.bounds?.greatest == 72 && size.defaultValue == 12)
    #expect(UserDefaults.Keys.columns.choices == [1, 2, 4] && UserDefaults.Keys.token.isRedacted)
    #expect(UserDefaults.Key("p", default: 1, in: 1...2, isRedacted: true).isRedacted)
    #expect(UserDefaults.Key("p", default: 1, choices: [1], isRedacted: true).isRedacted)
  }

  // W-6
  @Test func `what a key does not allow is not set, and reads as the default`() throws {
    defaults.fontSize = 14
    #expect(throws: DefaultsError.self) { try defaults.store(500, for: .fontSize) }
    defaults.fontSize = 5
    #expect(defaults.fontSize == 14)
    defaults.set(73, forKey: "FontSize")
    #expect(defaults.fontSize == 12 && defaults.integer(forKey: "FontSize") == 73)
    defaults.columns = 3
    #expect(defaults.columns == 2 && defaults.object(forKey: "Columns") == nil)
    defaults.columns = 4
    #expect(defaults.columns == 4)
  }

  // W-6
  @Test func `a property in a struct, a class, an actor and a model is the setting`() async {
    withTemporaryDefaults(defaults) {
      let settings = Settings()
      settings.theme = .dark
      #expect(settings.fontSize == 12 && defaults.theme == .dark)
      #expect(settings.$theme.origin?.place == .own && settings.$theme.isSet)
      settings.$theme.reset()
      #expect(settings.theme == .system && settings.$theme.origin == nil)
      settings.$fontSize.update { $0 += 1 }
      #expect(defaults.fontSize == 13)
    }
    let owner = Owner(defaults)
    owner.theme = .light
    #expect(Model(defaults).theme == .light)
    let worker = Worker()
    _ = await worker.work()
    #expect(await worker.work() == 2)
  }

  // W-6
  @Test func `keys are made where they are needed, and defaults are registered on request`() {
    defaults[.recent(3)] = 7
    #expect(defaults[UserDefaults.Key("recent.\(3)", default: 0)] == 7)
    #expect(defaults.integer(forKey: "FontSize") == 0)
    defaults.register(.fontSize, .theme, .nickname)
    #expect(
      defaults.integer(forKey: "FontSize") == 12 && defaults.string(forKey: "Theme") == "system")
  }

  // W-8
  @Test func `a value of another type reads as the default, stays, and is heard of once`() {
    let heard = Box<String>()
    defaults.onMismatch { heard.add("\($0.key.name) \($0.stored) \($0.type)") }
    defaults.set(["no", "theme"], forKey: "Theme")
    defaults.set("huge", forKey: "FontSize")
    defaults.set(["columns": "many"], forKey: "Layout")
    for _ in 0..<3 { #expect(defaults.theme == .system && defaults.fontSize == 12) }
    for _ in 0..<3 { #expect(defaults.layout == Layout()) }
    #expect(defaults.stringArray(forKey: "Theme") == ["no", "theme"])
    #expect(defaults.string(forKey: "FontSize") == "huge")
    #expect(defaults.dictionary(forKey: "Layout") as? [String: String] == ["columns": "many"])
    #expect(heard.count == 3 && heard.all.allSatisfy { $0.contains("Layout") || $0.contains("o") })
    defaults.set(5, forKey: "Theme")
    #expect(defaults.theme == .system && heard.count == 4)
    defaults.theme = .dark
    #expect(defaults.theme == .dark && heard.count == 4)
  }

  private struct Password: StorableValue {
    var text = "hunter2"
    init() {}
    init?(stored: PropertyListValue) { nil }
    func stored() throws -> PropertyListValue? {
      throw EncodingError.invalidValue(text, .init(codingPath: [], debugDescription: text))
    }
  }

  // W-8
  @Test func `a redacted value is in no message`() {
    let heard = Box<String>()
    defaults.onMismatch { heard.add($0.description) }
    defaults.set("secret", forKey: "Token")
    #expect(defaults.token == 0)
    #expect(heard.count == 1 && heard.all.allSatisfy { !$0.contains("secret") })
    let password = UserDefaults.Key("Password", default: Password(), isRedacted: true)
    do throws(DefaultsError) {
      try defaults.store(Password(), for: password)
      Issue.record("it was stored")
    } catch {
      #expect(!error.description.contains("hunter2") && error.description.contains("Error"))
    }
  }

  private final class Subclass: UserDefaults, @unchecked Sendable {}

  // V-24
  @Test func `a subclass throws what can't be stored, too`() throws {
    let sub = Subclass(on: defaults.stack)
    var deep = PropertyListValue.array([])
    for _ in 0..<600 { deep = .array([deep]) }
    let key = UserDefaults.Key("Deep", default: PropertyListValue.boolean(false))
    #expect(throws: DefaultsError.self) { try sub.store(deep, for: key) }
    sub[key] = deep
    #expect(sub[key] == .boolean(false))
    try sub.store(.integer(1), for: key)
    #expect(defaults[key] == .integer(1))
  }

  final class Account: Codable, StorableValue, @unchecked Sendable {
    var name: String

    init(name: String) { self.name = name }
  }

  // W-9
  @Test func `an object that was read is the reader's own`() {
    let key = UserDefaults.Key("Account", default: Account(name: "nobody"))
    defaults[key] = Account(name: "stored")
    let read = defaults[key]
    read.name = "changed"
    #expect(defaults[key].name == "stored" && defaults[key] !== read)
    defaults.update(key) { $0.name += "!" }
    #expect(defaults[key].name == "stored!")
  }

  // W-9
  @Test func `a value that is stored anew, and equal, is recognized without comparing it`() {
    let key = UserDefaults.Key("List", default: [Int]())
    for _ in 0..<2 {
      defaults.removeObject(forKey: "List")
      defaults.set([1, 2, 3], forKey: "List")
      #expect(defaults[key] == [1, 2, 3])
      Readers.begin()
      let isKnown = key.decoded.cached(key.prepared, in: defaults.list) != nil
      Readers.end()
      #expect(isKnown)
    }
  }

  // W-8
  @Test func `a message about a value names the type, and the values that the key allows`() {
    let heard = Box<String>()
    defaults.onMismatch { heard.add($0.description) }
    defaults.set(99, forKey: "FontSize")
    defaults.set("huge", forKey: "Level")
    defaults.set("many", forKey: "Counter")
    #expect(defaults.fontSize == 12)
    #expect(defaults[UserDefaults.Key("Level", default: 1, choices: [1, 2])] == 1)
    #expect(defaults.counter == 0)
    #expect(
      heard.all.map { $0.prefix { $0 != ";" } } == [
        "FontSize: 99 is stored, but the key allows Int, 6…72",
        "Level: \"huge\" is stored, but the key allows Int, 1, 2",
        "Counter: \"many\" is stored, but the key allows Int",
      ])
  }

  // W-6, V-4
  @Test func `a subclass decides what typed keys read and how they are set`() {
    final class Shouting: UserDefaults, @unchecked Sendable {
      override func object(forKey defaultName: String) -> Any? {
        defaultName == "Counter" ? 42 : super.object(forKey: defaultName)
      }
      override func set(_ value: Any?, forKey defaultName: String) {
        super.set((value as? String)?.uppercased() ?? value, forKey: defaultName)
      }
    }
    let shouting = Shouting(on: defaults.stack)
    shouting.nickname = "name"
    #expect(shouting.counter == 42 && shouting.nickname == "NAME" && defaults.counter == 0)
    shouting.nickname = nil
    #expect(!defaults.isSet(.nickname))
  }

  // W-4
  @Test func `a subclass that keeps all values itself is asked for each, and changes no file`()
    throws
  {
    final class Keeping: UserDefaults, @unchecked Sendable {
      var kept: [String: Any] = [:]
      override func object(forKey defaultName: String) -> Any? { kept[defaultName] }
      override func set(_ value: Any?, forKey defaultName: String) { kept[defaultName] = value }
      override func dictionaryRepresentation() -> [String: Any] { kept }
    }
    defaults.counter = 1
    defaults.set("real", forKey: "Text")
    let keeping = Keeping(on: defaults.stack)
    keeping.counter = 2
    keeping.set("mine", forKey: "Text")
    try keeping.store("name", for: .nickname)
    #expect(keeping.counter == 2 && keeping.string(forKey: "Text") == "mine")
    keeping.reset(.counter)
    #expect(keeping.counter == 0 && keeping.nickname == "name")
    keeping.resetAll()
    #expect(keeping.kept.isEmpty)
    #expect(defaults.counter == 1 && defaults.string(forKey: "Text") == "real")
  }

  // W-9
  @Test func `a decoded value is kept until another one is stored, whoever stores it`() throws {
    let fixture = try DefaultsFixture()
    let other = try fixture.suite(DefaultsFixture.identifier)
    let key = UserDefaults.Key("Counted", default: Counted(number: 0))
    fixture.defaults[key] = Counted(number: 1)
    let before = Counted.decodings.count
    for _ in 0..<5 { #expect(fixture.defaults[key].number == 1) }
    #expect(Counted.decodings.count == before + 1)
    // When the files are to be looked at again, the value is found in another way.
    usleep(60_000)
    #expect(fixture.defaults[key].number == 1)
    #expect(Counted.decodings.count == before + 1)
    other[key] = Counted(number: 2)
    for _ in 0..<5 { #expect(fixture.defaults[key].number == 2) }
    #expect(Counted.decodings.count == before + 2)
    let probe = try ProbeProcess.serving(fixture)
    try probe.ask("remove", "Counted")
    #expect(fixture.defaults[key].number == 0)
  }

  // W-9
  @Test func `what was decoded before is freed, and nothing is when a value is read again`() {
    let key = UserDefaults.Key("Haunted", default: Haunted(number: 0))
    func use(_ number: Int) {
      defaults[key] = Haunted(number: number)
      for _ in 0..<3 { #expect(defaults[key].number == number) }
    }
    for number in 0..<100 { use(number) }
    // The default, and what was decoded last. What a reader of another test may still see is freed
    // by a later set.
    let isFreed = DefaultsFixture.holds(within: 600) {
      if Haunted.Ghost.live.load(ordering: .relaxed) == 2 { return true }
      use(100)
      return false
    }
    #expect(isFreed)
  }
}

/// A value with an object of its own.
private struct Haunted: Codable, StorableValue {
  final class Ghost: Sendable {
    static let live = Atomic(0)
    init() { Self.live.wrappingAdd(1, ordering: .relaxed) }
    deinit {
      Self.live.wrappingSubtract(1, ordering: .relaxed)
      // Whoever is freed may read settings, too.
      _ = UserDefaults.inMemory().bool(forKey: "any")
    }
  }

  var number: Int
  let ghost = Ghost()
  enum CodingKeys: CodingKey { case number }
}

private struct Counted: Codable, StorableValue {
  static let decodings = Box<Int>()
  var number: Int

  init(number: Int) { self.number = number }

  init(from decoder: any Decoder) throws {
    number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
    Self.decodings.add(number)
  }
}
