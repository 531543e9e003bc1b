import Foundation
import Observation
import StrataDomains
import Testing

@testable import StrataDefaults
@testable import StrataDomains
@testable import class StrataDefaults.UserDefaults

@MainActor @Observable private final class Model {
  @ObservationIgnored @Default(.counter) var counter
  init(_ store: UserDefaults) { _counter = Default(.counter, store: store) }
  var doubled: Int { counter * 2 }
}

/// Swift's Observation.
struct TrackingTests {
  private func track(_ fired: Box<Int>, _ read: () -> Void) {
    withObservationTracking(read) { fired.add(1) }
  }

  // O-15
  @Test func `a tracked key fires once, when it changes and not when another one does`() {
    let defaults = UserDefaults.inMemory()
    let fired = Box<Int>()
    track(fired) { _ = defaults.theme }
    defaults.counter = 1
    #expect(fired.count == 0)
    defaults.theme = .system
    #expect(fired.count == 1)
    defaults.theme = .dark
    #expect(fired.count == 1)
    track(fired) { _ = defaults.theme }
    defaults.theme = .dark
    #expect(fired.count == 1)
    UserDefaults(on: defaults.stack).theme = .light
    #expect(fired.count == 2)
    track(fired) { _ = defaults.theme }
    defaults.register(defaults: ["Theme": "dark"])
    #expect(fired.count == 2)
    defaults.reset(.theme)
    #expect(fired.count == 3)
  }

  // O-15
  @Test func `two trackings of one key both fire`() {
    let defaults = UserDefaults.inMemory()
    let (one, two) = (Box<Int>(), Box<Int>())
    track(one) { _ = defaults.counter }
    track(two) { _ = defaults[UserDefaults.Key("Counter", default: 0)] }
    defaults.counter = 5
    #expect(one.count == 1 && two.count == 1)
  }

  // O-15
  @Test func `a tracking outlives the object that was read, and keeps no settings alive`() {
    let defaults = UserDefaults.inMemory()
    let fired = Box<Int>()
    track(fired) { _ = UserDefaults(on: defaults.stack).theme }
    defaults.theme = .dark
    #expect(fired.count == 1)
    weak var gone: Stack?
    do {
      let short = UserDefaults.inMemory()
      gone = short.stack
      track(fired) { _ = short.theme }
    }
    #expect(gone == nil && fired.count == 1)
  }

  // O-15
  @Test func `nobody observes a key that nobody tracks`() {
    let defaults = UserDefaults.inMemory()
    for _ in 0..<10 { _ = defaults.theme }
    #expect(defaults.tracker.count == 0 && !defaults.stack.process.isObserved)
    track(Box()) { _ = defaults.theme }
    #expect(defaults.tracker.count == 1 && defaults.stack.process.isObserved)
    defaults.theme = .dark
    defaults.theme = .light
    #expect(defaults.tracker.count == 0 && !defaults.stack.process.isObserved)
  }

  // O-15
  @Test func `Observation hashes what is tracked, which is how trackings are detected`() {
    #expect(HashCountedKey.isHashedWhereTracked)
  }

  // O-15
  @Test func `where trackings can't be detected each key that is read is observed`() {
    let defaults = UserDefaults.inMemory()
    let (key, tracker) = (KeyTracker.Key("Counter", detectsTracking: false), KeyTracker())
    tracker.trackRead(of: key, in: defaults.stack)
    #expect(tracker.count == 1 && defaults.stack.process.isObserved)
    let fired = Box<Int>()
    track(fired) { tracker.trackRead(of: key, in: defaults.stack) }
    defaults.counter = 1
    #expect(fired.count == 1)
    defaults.counter = 2
    #expect(tracker.count == 0 && !defaults.stack.process.isObserved)
  }

  // O-15
  @Test(.timeLimit(.minutes(30)))
  func `there a change fires once more, for those who were registered too late`() async {
    let (stream, fired) = AsyncStream.makeStream(of: Void.self)
    TrackedValue().fire(isRepeated: true) { _ in fired.yield() }
    var mutations = stream.makeAsyncIterator()
    for _ in 0..<2 { await mutations.next() }
  }

  // O-15
  @Test func `trackings by objects that come and go leave no observers behind`() {
    let defaults = UserDefaults.inMemory()
    let fired = Box<Int>()
    for number in 1...100 {
      track(fired) { _ = UserDefaults(on: defaults.stack).counter }
      defaults.counter = number
    }
    #expect(fired.count == 100)
    #expect(defaults.stack.observerList.count <= 2)
    for _ in 1...100 { track(Box()) { _ = UserDefaults(on: defaults.stack).theme } }
    #expect(defaults.stack.observerList.count <= 3)
  }

  // O-15
  @Test func `a tracking hears of a suite that is stored when no object for it is left`() throws {
    let fixture = try DefaultsFixture()
    let fired = Box<Int>()
    track(fired) { _ = (try? fixture.suite("com.example.suite"))?.counter }
    let suite = try fixture.suite("com.example.suite")
    suite.counter = 1
    #expect(fired.count == 1)
    suite.counter = 2
    #expect(fired.count == 1 && !fixture.process.isObserved)
  }

  // O-15
  @MainActor @Test(.timeLimit(.minutes(30))) func `observations tell what others set`() async throws
  {
    let fixture = try DefaultsFixture()
    let model = Model(fixture.defaults)
    let probe = try ProbeProcess.serving(fixture)
    var seen: [Int] = []
    for await value in Observations({ model.doubled }) {
      seen.append(value)
      if seen.count == 4 { break }
      try probe.ask("set", "Counter", "integer", "\(seen.count * 10)")
    }
    #expect(seen == [0, 20, 40, 60])
  }

  // O-15
  @Test func `a tracking of a value that others took back fires`() throws {
    let fixture = try DefaultsFixture()
    let (defaults, fired) = (fixture.defaults, Box<Int>())
    let (busy, go, told) = (Gate("the watcher is busy"), Gate("it may go on"), Gate("told"))
    let token = defaults.observe("busy") { (_: UserDefaults.KeyChange<Int>) in
      busy.open()
      go.wait()
    }
    let other = try ProbeProcess.serving(fixture)
    track(Box()) { _ = defaults.counter }
    try other.ask("set", "busy", "integer", "1")
    busy.wait()
    try other.ask("set", "Counter", "integer", "5")
    withObservationTracking {
      #expect(defaults.counter == 5)
    } onChange: {
      fired.add(1)
      told.open()
    }
    try other.ask("remove", "Counter")
    go.open()
    told.wait()
    #expect(fired.count == 1)
    token.cancel()
  }
}
