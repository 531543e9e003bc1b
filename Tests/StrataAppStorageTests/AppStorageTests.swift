import Dispatch
import Foundation
import Observation
import StrataAppStorage
import StrataDefaults
import Testing

import class StrataDefaults.UserDefaults

private enum Theme: String { case light, dark }

private enum Unit: Int, StorableValue { case centimeter = 1, inch }

private struct Layout: Codable, StorableValue, Equatable { var columns = 1 }

@Observable
private final class EditingPrefs {
  @ObservationIgnored @AppStorage("ShowLineNumbers") var showLineNumbers = false
  @ObservationIgnored @AppStorage("Theme") private var theme = Theme.light
  @ObservationIgnored @AppStorage("Nickname") var nickname: String?
  @ObservationIgnored @AppStorage("Layout") var layout = Layout()

  var isDark: Bool {
    get { theme == .dark }
    set { theme = newValue ? .dark : .light }
  }
}

/// `@AppStorage`, in memory.
struct AppStorageTests {
  private let defaults = UserDefaults.inMemory()

  // W-12
  @Test func `what is registered stays, whatever later declarations say`() {
    defaults.register(defaults: ["x": 5])
    let heard = Heard()
    let token = defaults.observe("x", as: Int.self) { _ in heard.add() }
    for _ in 0..<10 {
      let one = AppStorage(wrappedValue: 0, "x", store: defaults)
      let other = AppStorage(wrappedValue: 9, "x", store: defaults)
      #expect(one.wrappedValue == 5 && other.wrappedValue == 5)
    }
    #expect(heard.count == 0)
    token.cancel()
  }

  // W-8, W-12
  @Test func `parts that two threads set are both there, and what can't be read is kept`() {
    struct Size: Codable, StorableValue { var a = 0, b = 0 }
    let size = AppStorage(wrappedValue: Size(), "Size", store: defaults).projectedValue
    DispatchQueue.concurrentPerform(iterations: 2) { part in
      for number in 1...2_000 {
        if part == 0 { size.a.wrappedValue = number } else { size.b.wrappedValue = number }
      }
    }
    #expect(size.wrappedValue.a == 2_000 && size.wrappedValue.b == 2_000)
    defaults.set(["a": "no number"], forKey: "Size")
    size.b.wrappedValue = 7
    #expect(size.wrappedValue.b == 7)
    #expect(
      defaults.dictionary(forKey: "Size.undecodable") as? [String: String] == ["a": "no number"])
  }

  // W-5, W-12
  @Test func `a property is the setting, and its first value is registered`() {
    let prefs = defaultAppStorage(defaults) { EditingPrefs() }
    #expect(!prefs.showLineNumbers && !prefs.isDark && prefs.nickname == nil)
    #expect(defaults.string(forKey: "Theme") == "light")
    prefs.showLineNumbers = true
    prefs.isDark = true
    prefs.nickname = "N"
    #expect(defaults.bool(forKey: "ShowLineNumbers"))
    #expect(defaults.string(forKey: "Theme") == "dark")
    #expect(defaults.string(forKey: "Nickname") == "N")
    prefs.nickname = nil
    #expect(defaults.object(forKey: "Nickname") == nil)
    defaults.set("light", forKey: "Theme")
    #expect(!prefs.isDark)
  }

  // W-12
  @Test func `an optional enum with raw values is its raw value, and nil removes it`() {
    struct Choices {
      @AppStorage("Theme") var theme: Theme?
      @AppStorage("Unit") var unit: Unit?
    }
    let choices = defaultAppStorage(defaults) { Choices() }
    #expect(choices.theme == nil && choices.unit == nil)
    choices.theme = .dark
    choices.unit = .inch
    #expect(defaults.string(forKey: "Theme") == "dark" && defaults.integer(forKey: "Unit") == 2)
    defaults.set("light", forKey: "Theme")
    #expect(choices.theme == .light && choices.$theme.wrappedValue == .light)
    defaults.set("none", forKey: "Theme")
    #expect(choices.theme == nil)
    choices.theme = nil
    choices.unit = nil
    #expect(defaults.object(forKey: "Theme") == nil && defaults.object(forKey: "Unit") == nil)
  }

  // W-12
  @Test func `what is projected binds the value and its parts both ways`() {
    let prefs = defaultAppStorage(defaults) { EditingPrefs() }
    let (binding, columns) = (prefs.$showLineNumbers, prefs.$layout.columns)
    binding.wrappedValue = true
    #expect(prefs.showLineNumbers)
    columns.wrappedValue = 3
    #expect(prefs.layout == Layout(columns: 3))
    #expect(defaults.dictionary(forKey: "Layout") as? [String: Int] == ["columns": 3])
    prefs.layout.columns = 5
    #expect(columns.wrappedValue == 5)
  }

  // W-12
  @Test func `the store is the one that is named, then the task's, then standard`() {
    struct Named {
      @AppStorage("A", store: .inMemory(["A": 5])) var number = 1
      @AppStorage("A") var other = 2
    }
    #expect(withTemporaryDefaults(.inMemory(["A": 7])) { Named() }.other == 7)
    let named = defaultAppStorage(defaults) { Named() }
    named.other = 9
    #expect(named.number == 5 && defaults.integer(forKey: "A") == 9)
  }

  // O-15, W-12
  @Test func `whoever tracks a property of a model hears of a change of the setting`() {
    let prefs = defaultAppStorage(defaults) { EditingPrefs() }
    let fired = Heard()
    withObservationTracking {
      _ = prefs.isDark
    } onChange: {
      fired.add()
    }
    defaults.set(true, forKey: "ShowLineNumbers")
    #expect(fired.count == 0)
    defaults.set("dark", forKey: "Theme")
    #expect(fired.count == 1 && prefs.isDark)
  }
}

private final class Heard: @unchecked Sendable {
  private let lock = NSLock()
  private var number = 0

  var count: Int { lock.withLock { number } }
  func add() { lock.withLock { number += 1 } }
}
