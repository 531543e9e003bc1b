import Foundation
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// Changes that are told on an actor.
@Suite struct IsolatedObservingTests {
  private let fixture: DefaultsFixture
  private var defaults: UserDefaults { fixture.defaults }

  init() throws { fixture = try DefaultsFixture() }

  private actor Model {
    private(set) var themes: [String?] = []
    private var observation: UserDefaults.KeyObservation?
    private let (stream, told) = AsyncStream.makeStream(of: Void.self)

    func observe(_ defaults: UserDefaults) {
      observation = defaults.observe("Theme", as: String.self, options: .initial, on: self) {
        model, change in
        model.themes.append(change.new)
        model.told.yield()
      }
    }

    /// Sets all of these while nobody else can be here, and waits for what is told.
    func hear(_ themes: [String], from defaults: UserDefaults) async -> [String?] {
      for theme in themes { defaults.set(theme, forKey: "Theme") }
      let known = self.themes.count
      var calls = stream.makeAsyncIterator()
      while self.themes.count == known { await calls.next(isolation: self) }
      return self.themes
    }

    func cancel(andSet theme: String, in defaults: UserDefaults) {
      defaults.set(theme, forKey: "Theme")
      observation?.cancel()
    }
  }

  // O-6, O-7
  @Test func `an actor is told where it is, merged while it is busy, and not after an end`() async {
    let model = Model()
    await model.observe(defaults)
    #expect(await model.hear(["light", "dark"], from: defaults).last == "dark")
    #expect(await model.hear(["a", "b", "c"], from: defaults).last == "c")
    let heard = await model.themes
    #expect(heard.filter { ["a", "b", "light"].contains($0) } == [], "it was busy setting them")
    await model.cancel(andSet: "late", in: defaults)
    #expect(await model.themes == heard)
  }

  // O-6
  @Test @MainActor func `a closure of the main actor is called there`() async {
    let (stream, told) = AsyncStream.makeStream(of: Int?.self)
    let observation = defaults.observe("a", as: Int.self) { @MainActor change in
      MainActor.assertIsolated()
      told.yield(change.new)
    }
    await Task.detached { [fixture] in fixture.defaults.set(1, forKey: "a") }.value
    var calls = stream.makeAsyncIterator()
    #expect(await calls.next() == 1)
    for number in 2...9 { defaults.set(number, forKey: "a") }
    #expect(await calls.next() == 9, "the main actor was busy")
    defaults.set(10, forKey: "a")
    observation.cancel()
    await Task.yield()
    told.finish()
    #expect(await calls.next() == nil)
  }

  // O-4
  @Test func `the first value is told on a queue and on an actor, too, when there is none`() async {
    let (stream, told) = AsyncStream.makeStream(of: Int?.self)
    let tokens = [
      defaults.observe("none", as: Int.self, options: .initial, on: DispatchQueue(label: "q")) {
        told.yield($0.new)
      },
      defaults.observe("none", as: Int.self, options: .initial) { @MainActor change in
        told.yield(change.new)
      },
    ]
    var calls = stream.makeAsyncIterator()
    #expect(await calls.next() == .some(nil))
    #expect(await calls.next() == .some(nil))
    for token in tokens { token.cancel() }
  }
}
