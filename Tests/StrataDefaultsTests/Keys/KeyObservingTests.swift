import Foundation
import StrataDefaults
import StrataPropertyList
import Testing

import class StrataDefaults.UserDefaults

/// Observing typed keys.
struct KeyObservingTests {
  private let defaults = UserDefaults.inMemory()

  // W-6, O-2, O-3, O-4
  @Test func `an observer of a typed key is told values of its type`() {
    let heard = Box<[Theme]>()
    let observation = defaults.observe(.theme) { old, new in heard.add([old, new]) }
    defaults.theme = .dark
    defaults.theme = .dark
    defaults.set(["no theme"], forKey: "Theme")
    defaults.reset(.theme)
    #expect(heard.all == [[.system, .dark], [.dark, .system]])
    defaults.theme = .system
    #expect(heard.count == 2, "a value that is the default's is no other one")
    let layouts = Box<Layout>()
    let other = defaults.observe(.layout) { _, new in layouts.add(new) }
    defaults.layout.columns = 4
    #expect(layouts.all == [Layout(columns: 4)])
    observation.cancel()
    other.cancel()
    defaults.theme = .light
    #expect(heard.count == 2)
  }

  // W-6, O-2
  @Test(.timeLimit(.minutes(30)))
  func `values of several typed keys come together, first those that there are`() async {
    var seen: [String] = []
    for await (theme, size, nickname) in defaults.values(for: .theme, .fontSize, .nickname) {
      seen.append("\(theme) \(size) \(nickname ?? "none")")
      switch seen.count {
      case 1: defaults.fontSize = 20
      case 2: defaults.nickname = "N"
      default: defaults.theme = .dark
      }
      if seen.count == 4 { break }
    }
    #expect(seen == ["system 12 none", "system 20 none", "system 20 N", "dark 20 N"])
    for await theme in defaults.values(for: .theme) {
      #expect(theme == .dark)
      break
    }
  }

  // W-6, O-2
  @Test(.timeLimit(.minutes(30))) func `keys of one name all have its value`() async {
    let raw = UserDefaults.Key<PropertyListValue?>("Counter")
    var seen: [String] = []
    for await (count, size, again, stored) in defaults.values(
      for: .counter, .fontSize, .counter, raw)
    {
      seen.append("\(count) \(size) \(again) \(stored ?? "none")")
      switch seen.count {
      case 1: defaults.counter = 3
      case 2: defaults.fontSize = 20
      default: break
      }
      if seen.count == 3 { break }
    }
    let (none, three) = (PropertyListValue.string("none"), PropertyListValue.integer(3))
    #expect(seen == ["0 12 0 \(none)", "3 12 3 \(three)", "3 20 3 \(three)"])
  }

  // W-6, O-2
  @Test(.timeLimit(.minutes(30))) func `what a property projects observes it`() async {
    let property = Default(.counter, store: defaults)
    let heard = Box<Int>()
    let observation = property.projectedValue.observe { heard.add($1 - $0) }
    property.wrappedValue = 5
    defaults.reset(.counter)
    #expect(heard.all == [5, -5])
    observation.cancel()
    for await count in property.values {
      if count == 1 { break }
      property.update { $0 += 1 }
    }
  }

  // W-8
  @Test(.timeLimit(.minutes(30)))
  func `an observer that only observes hears of a value that its key can't read, once`() async {
    let mismatches = Box<PropertyListValue>()
    defaults.onMismatch { mismatches.add($0.stored) }
    let observation = defaults.observe(.counter) { _, _ in }
    defaults.set("x", forKey: "Counter")
    defaults.set(1, forKey: "Counter")
    #expect(mismatches.all == [.string("x")])
    observation.cancel()
    defaults.set("y", forKey: "Counter")
    #expect(mismatches.count == 1)
    for await count in defaults.values(for: .counter) {
      #expect(count == 0)
      break
    }
    #expect(mismatches.all == [.string("x"), .string("y")])
    #expect(defaults.counter == 0 && mismatches.count == 2)
  }
}
