import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// Settings in memory.
struct InMemoryTests {
  // W-16
  @Test func `settings in memory have all that others have`() {
    let defaults = UserDefaults.inMemory(
      ["Own": 1, "Theme": "light"], registered: ["Own": 2, "Registered": 3],
      arguments: ["-Theme", "dark"])
    #expect(defaults.integer(forKey: "Own") == 1 && defaults.integer(forKey: "Registered") == 3)
    #expect(defaults.theme == .dark && defaults.origin(of: .theme)?.place == .arguments)
    #expect(defaults.stringArray(forKey: "AppleLanguages")?.isEmpty == false)
    #expect(!defaults.objectIsForced(forKey: "Own") && defaults.synchronize())
    let heard = Box<Int>()
    let observation = defaults.observe("Own", as: Int.self) { heard.add($0.new ?? -1) }
    defaults.set(5, forKey: "Own")
    defaults.removeObject(forKey: "Own")
    #expect(heard.all == [5, 2])
    observation.cancel()
    defaults.addSuite(named: "com.example.suite")
    defaults.setPersistentDomain(["FromSuite": 7], forName: "com.example.suite")
    #expect(defaults.integer(forKey: "FromSuite") == 7)
    defaults.setPersistentDomain(["Global": 8], forName: UserDefaults.globalDomain)
    #expect(defaults.integer(forKey: "Global") == 8)
    defaults.setVolatileDomain(["V": 9], forName: "volatile")
    #expect(defaults.volatileDomain(forName: "volatile")["V"] as? Int == 9)
    #expect(throws: DefaultsError.self) { try defaults.store(1, forKey: "a\0b") }
  }

  // W-16
  @Test func `two of them share nothing`() {
    let (one, two) = (UserDefaults.inMemory(), UserDefaults.inMemory())
    one.theme = .dark
    one.register(defaults: ["R": 1])
    one.setPersistentDomain(["A": 1], forName: "com.example.suite")
    one.setVolatileDomain(["AppleLocale": "xx"], forName: UserDefaults.languageDomain)
    #expect(two.theme == .system && two.object(forKey: "R") == nil)
    #expect(two.persistentDomain(forName: "com.example.suite") == nil)
    #expect(two.string(forKey: "AppleLocale") != "xx")
  }

  // W-16
  @Test func `whoever made some can still say what the program's identifier is`() async {
    await #expect(processExitsWith: .success) {
      let first = UserDefaults.inMemory()
      withTemporaryDefaults(first) {
        UserDefaults().set(1, forKey: "a")
        UserDefaults(suiteName: "com.example.suite")?.set(1, forKey: "a")
        UserDefaults.applicationIdentifier = "com.example.later"
        UserDefaults().set(2, forKey: "b")
      }
      let values = [first.integer(forKey: "a"), first.integer(forKey: "b")]
      exit(values == [1, 2] ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  // W-16
  @Test func `in a task tree standard, new objects and suites are in memory, and nowhere else`()
    async
  {
    let mine = UserDefaults.inMemory(["Theme": "dark"])
    await withTemporaryDefaults(mine) {
      #expect(UserDefaults.standard === mine && UserDefaults().theme == .dark)
      let suite = UserDefaults(suiteName: "com.example.suite")
      suite?.set(5, forKey: "A")
      #expect(suite?.stack.process.isInMemory == true)
      await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<10 { group.addTask { UserDefaults.standard === mine } }
        for await isMine in group { #expect(isMine) }
      }
      #expect(await Task.detached { UserDefaults.standard === mine }.value == false)
      withTemporaryDefaults { #expect(UserDefaults.standard.theme == .system) }
      #expect(UserDefaults.standard === mine)
    }
    #expect(UserDefaults.standard !== mine)
  }

  // W-16
  @Test func `a task that outlives the call that gave it settings in memory keeps them`() async {
    let mine = UserDefaults.inMemory()
    let (goOn, isOver) = AsyncStream.makeStream(of: Void.self)
    let task = withTemporaryDefaults(mine) {
      Task {
        for await _ in goOn {}
        UserDefaults.standard.theme = .dark
      }
    }
    isOver.finish()
    await task.value
    #expect(mine.theme == .dark)
  }

  // D-30, W-16
  @Test func `what places in memory hold is as safe as it can be`() throws {
    try withTemporaryDefaults {
      let place = try Preferences()
      try place.set(1, forKey: "a")
      #expect(place.synchronize() && UserDefaults.standard.synchronize())
    }
  }
}

/// What the environment says.
struct EnvironmentTests {
  // W-14
  @Test func `variables with the prefix are settings, behind the arguments and before what is set`()
  {
    let variables = [
      "APP_Theme": "dark", "APP_FontSize": "20", "APP_List": "(1, 2)", "APP_": "x", "Theme": "no",
      "APP_Counter": "1",
    ]
    let values = EnvironmentPrefix.values(in: variables, after: "APP_")
    #expect(Set(values.keys) == ["Theme", "FontSize", "List", "Counter"])
    let defaults = UserDefaults.inMemory(["FontSize": 9], arguments: ["-Counter", "2"])
    let heard = Box<String>()
    let observation = defaults.observe("Theme", as: String.self) { heard.add($0.new ?? "none") }
    #expect(!defaults.volatileDomainNames.contains(UserDefaults.environmentDomain))
    defaults.searchEnvironment(values)
    #expect(defaults.theme == .dark && defaults.fontSize == 20 && defaults.counter == 2)
    #expect(defaults[UserDefaults.Key("List", default: [Int]())] == [1, 2])
    #expect(defaults.origin(of: .theme)?.place == .environment)
    #expect(defaults.volatileDomainNames.contains(UserDefaults.environmentDomain))
    defaults.set("light", forKey: "Theme")
    #expect(defaults.theme == .dark)
    defaults.searchEnvironment(nil)
    #expect(defaults.theme == .light && heard.all == ["dark", "light"])
    observation.cancel()
  }

  // W-14
  @Test func `the prefix asks the environment of the process`() async {
    await #expect(processExitsWith: .success) {
      setenv("STRATATEST_Theme", "dark", 1)
      let mine = UserDefaults.inMemory()
      withTemporaryDefaults(mine) {
        UserDefaults.environmentPrefix = "STRATATEST_"
        guard mine.theme == .dark, UserDefaults.environmentPrefix == "STRATATEST_" else { exit(1) }
        UserDefaults.environmentPrefix = nil
        guard mine.theme == .system else { exit(2) }
      }
    }
  }
}

/// Settings as a library for configuration reads them.
struct SettingsReaderTests {
  private let defaults = UserDefaults.inMemory([
    "http": ["port": 80, "host": ["name": "h"]], "http.port": 8080, "log.level": "debug",
  ])

  // W-15
  @Test func `a path is the longest key that there is, and then leads into dictionaries`() {
    let reader = SettingsReader(defaults)
    #expect(reader.value(at: "http.port") == 8080 && reader.value(at: "log.level") == "debug")
    #expect(reader.value(at: "http.host.name") == "h" && reader.value(at: "http.host.x") == nil)
    #expect(reader.value(at: "nothing") == nil && reader.value(at: "log") == nil)
    let snapshot = reader.snapshot()
    defaults.set(1, forKey: "http.port")
    #expect(snapshot.value(at: "http.port") == 8080 && reader.value(at: "http.port") == 1)
  }

  // W-15
  @Test(.timeLimit(.minutes(30)))
  func `a path that is watched tells its value, and then each other one`() async {
    let reader = SettingsReader(defaults)
    var seen: [PropertyListValue?] = []
    for await value in reader.watch("http.host.name") {
      seen.append(value)
      switch seen.count {
      case 1: defaults.set(["host": ["name": "i"], "port": 1], forKey: "http")
      case 2: defaults.set("j", forKey: "http.host.name")
      case 3:
        defaults.removeObject(forKey: "http")
        defaults.removeObject(forKey: "http.host.name")
      default: break
      }
      if seen.count == 4 { break }
    }
    #expect(seen == ["h", "i", "j", nil])
  }

  // W-22
  @Test(.timeLimit(.minutes(30)))
  func `a sequence of snapshots has the values as they are, and then after each change`() async {
    let reader = SettingsReader(defaults)
    var seen: [SettingsReader.Snapshot] = []
    for await snapshot in reader.snapshots {
      seen.append(snapshot)
      #expect(snapshot == reader.snapshot())
      switch seen.count {
      case 1:
        defaults.set("debug", forKey: "log.level")  // no change
        defaults.set(1, forKey: "new")
      case 2: defaults.removeObject(forKey: "new")
      case 3: defaults.register(defaults: ["registered": 2])
      case 4:
        defaults.setPersistentDomain(["suite": 3], forName: "com.example.suite")
        defaults.addSuite(named: "com.example.suite")
      default: break
      }
      if seen.count == 5 { break }
    }
    #expect(seen.map { $0.value(at: "new") } == [nil, 1, nil, nil, nil])
    #expect(seen.map { $0.value(at: "registered") } == [nil, nil, nil, 2, 2])
    #expect(seen.map { $0.value(at: "suite") } == [nil, nil, nil, nil, 3])
  }

  // W-22
  @Test(.timeLimit(.minutes(30)))
  func `a sequence of snapshots has keys that others add, and ends with its consumer`() async throws
  {
    let fixture = try DefaultsFixture()
    var seen: [PropertyListValue?] = []
    for await snapshot in SettingsReader(fixture.defaults).snapshots {
      seen.append(snapshot.value(at: "new"))
      if seen.count == 2 { break }
      try ListFile.write(["new": "x"], to: fixture.plist)
    }
    #expect(seen == [nil, "x"])
    let reader = Task { [defaults = fixture.defaults] in
      for await _ in SettingsReader(defaults).snapshots {}
    }
    reader.cancel()
    await reader.value
    #expect(!fixture.process.isObserved)
  }
}
