import Foundation
import StrataPropertyList
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// Where values come from, and how they go back.
struct KeyStateTests {
  // W-10
  @Test func `the origin is the place that gives the value, with its file`() throws {
    let fixture = try DefaultsFixture(
      arguments: ["IsWide": .string("YES")],
      system: [
        "managed/com.example.app.plist": ["FontSize": .integer(20)],
        "recommended/com.example.app.plist": ["Columns": .integer(4)],
      ])
    let defaults = fixture.defaults
    #expect(defaults.origin(of: .theme) == nil && !defaults.isSet(.theme))
    defaults.register(.theme)
    #expect(defaults.origin(of: .theme)?.place == .registered)
    defaults.theme = .dark
    let own = try #require(defaults.origin(of: .theme))
    #expect(own.place == .own && own.path == fixture.plist && !own.isForced)
    defaults.fontSize = 30
    let forced = try #require(defaults.origin(of: .fontSize))
    #expect(forced.place == .forced && forced.isForced && defaults.fontSize == 20)
    #expect(forced.path == fixture.directory + "/system/managed/com.example.app.plist")
    #expect(defaults.origin(of: .isWide)?.place == .arguments && defaults.isWide)
    #expect(defaults.origin(of: .columns)?.place == .recommended && defaults.columns == 4)
    #expect(defaults.origin(ofKey: "AppleLocale")?.place == .languages)
    defaults.addSuite(named: "com.example.suite")
    try fixture.suite("com.example.suite").set(5, forKey: "Counter")
    #expect(defaults.origin(of: .counter)?.place == .suite && defaults.counter == 5)
  }

  // W-10
  @Test func `a key is set or not, and default or not`() {
    let defaults = UserDefaults.inMemory()
    #expect(!defaults.isSet(.counter) && defaults.isDefault(.counter))
    defaults.counter = 0
    #expect(defaults.isSet(.counter) && defaults.isDefault(.counter))
    defaults.counter = 1
    #expect(!defaults.isDefault(.counter))
  }

  // W-10
  @Test func `keys, prefixes, groups and everything are reset, each at one moment`() {
    let defaults = UserDefaults.inMemory(registered: ["Counter": 3])
    func fill() {
      (defaults.counter, defaults.theme, defaults.isWide) = (9, .dark, true)
      for id in 0..<3 { defaults[.recent(id)] = 5 }
    }
    fill()
    let notices = Box<Int>()
    let token = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
    ) { _ in notices.add(1) }
    defaults.reset(.counter, .theme)
    #expect(defaults.counter == 3 && defaults.theme == .system && defaults.isWide)
    #expect(notices.count == 1)
    defaults.reset(prefix: "recent.")
    #expect((0..<3).allSatisfy { defaults[.recent($0)] == 0 } && defaults.isWide)
    fill()
    defaults.reset(UserDefaults.KeyGroup("View", [.theme, .isWide]))
    #expect(!defaults.isWide && defaults.theme == .system && defaults.counter == 9)
    defaults.resetAll()
    #expect(defaults.counter == 3 && defaults[.recent(0)] == 0)
    NotificationCenter.default.removeObserver(token)
  }
}
