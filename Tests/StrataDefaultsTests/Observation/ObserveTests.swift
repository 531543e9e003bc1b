import Foundation
import StrataDomains
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// Closures and sequences that observe keys.
@Suite struct ObserveTests {
  private let fixture: DefaultsFixture
  private var defaults: UserDefaults { fixture.defaults }

  init() throws { fixture = try DefaultsFixture() }

  private final class Ear<Value: Sendable>: Sendable {
    private let heard = Guarded<[UserDefaults.KeyChange<Value>]>([])
    var changes: [UserDefaults.KeyChange<Value>] { heard.withLock { $0 } }
    var values: [Value?] { changes.map(\.new) }
    func hear(_ change: UserDefaults.KeyChange<Value>) { heard.withLock { $0.append(change) } }
  }

  // O-3
  @Test func `an equal number of another type is a change, except where a type can't tell`() {
    let (untyped, numbers) = (Guarded<[PropertyListValue?]>([]), Guarded(0))
    let observation = defaults.observe("a", as: Any.self) { change in
      let value = change.new.flatMap { try? Bridge.value(of: $0) }
      untyped.withLock { $0.append(value) }
    }
    let key = UserDefaults.Key("a", default: 0)
    let typed = defaults.observe(key) { _, _ in numbers.withLock { $0 += 1 } }
    defaults.set(true, forKey: "a")
    defaults.set(1, forKey: "a")
    defaults.set(1.0, forKey: "a")
    defaults.set(Float(1), forKey: "a")
    defaults.set(Float(1), forKey: "a")
    let expected: [PropertyListValue?] = [.boolean(true), .integer(1), .real(1), .single(1)]
    #expect(untyped.withLock { $0 } == expected)
    #expect(numbers.withLock { $0 } == 1, "the key reads 1 each time")
    observation.cancel()
    typed.cancel()
  }

  // O-6
  @Test func `what others have set before a whole domain is set is told as theirs`() throws {
    let ear = Ear<Int>()
    let (busy, go) = (Gate("the watcher is busy"), Gate("it may go on"))
    let first = defaults.observe("busy") { (_: UserDefaults.KeyChange<Int>) in
      busy.open()
      go.wait()
    }
    let second = defaults.observe("a", change: ear.hear)
    let other = try ProbeProcess.serving(fixture)
    try other.ask("set", "busy", "integer", "1")
    busy.wait()
    try other.ask("set", "a", "integer", "1")
    defaults.setPersistentDomain(["b": 2], forName: "com.example.other")
    try other.ask("set", "c", "integer", "3")
    defaults.setPersistentDomain(["a": 4, "busy": 1], forName: DefaultsFixture.identifier)
    #expect(defaults.object(forKey: "c") == nil)
    go.open()
    first.cancel()
    second.cancel()
    #expect(ear.values.last == 4 && ear.changes.last?.isOwn == true)
    #expect(ear.changes.filter { $0.new == 1 }.allSatisfy { !$0.isLocal })
  }

  // O-2
  @Test func `a closure is told until its token is dropped`() {
    let ear = Ear<Int>()
    var token: UserDefaults.KeyObservation? = defaults.observe("a", change: ear.hear)
    defaults.set(1, forKey: "a")
    defaults.set("no number", forKey: "a")
    #expect(ear.values == [1, nil])
    #expect(ear.changes.map(\.old) == [nil, 1])
    #expect(token != nil)
    token = nil
    defaults.set(2, forKey: "a")
    #expect(ear.values.count == 2)
  }

  // O-2, O-4
  @Test func `a missing value is nil for observers of any value`() async {
    let heard = Guarded<[String]>([])
    let observation = defaults.observe("a", as: Any.self) { change in
      heard.withLock { $0.append("\(change.old == nil) \(change.new == nil)") }
    }
    defaults.set(1, forKey: "a")
    defaults.removeObject(forKey: "a")
    #expect(heard.withLock { $0 } == ["true false", "false true"])
    observation.cancel()
    defaults.set(1, forKey: "b")
    var one = defaults.values(forKey: "a", as: (any Sendable).self).makeAsyncIterator()
    #expect(await one.next().map { $0 == nil } == true)
    var several = defaults.values(forKeys: ["a", "b"], as: (any Sendable).self).makeAsyncIterator()
    #expect(await several.next()?.keys.sorted() == ["b"])
  }

  // O-2
  @Test func `each iteration over a sequence has the current value first`() async {
    defaults.set(1, forKey: "a")
    let values = defaults.values(forKey: "a", as: Int.self)
    for await value in values {
      #expect(value == 1)
      break
    }
    defaults.set(2, forKey: "a")
    var (one, other) = (values.makeAsyncIterator(), values.makeAsyncIterator())
    #expect(await one.next() == 2)
    #expect(await other.next() == 2)
    defaults.set(3, forKey: "a")
    #expect(await one.next() == 3)
    #expect(await other.next() == 3)
  }

  // O-4
  @Test func `initial tells what there is, and prior warns`() {
    defaults.set(1, forKey: "a")
    let ear = Ear<Int>()
    let token = defaults.observe("a", options: [.initial, .prior], change: ear.hear)
    #expect(ear.values == [1])
    defaults.set(2, forKey: "a")
    #expect(ear.values == [1, 2, 2])
    #expect(ear.changes.map(\.isPrior) == [false, true, false])
    token.cancel()
  }

  // O-6
  @Test func `own changes are told apart, and not told on request`() throws {
    let (all, others) = (Ear<Int>(), Ear<Int>())
    let twin = UserDefaults(on: defaults.stack)
    let tokens = [
      defaults.observe("a", change: all.hear),
      defaults.observe("a", ignoringOwn: true, change: others.hear),
    ]
    defaults.set(1, forKey: "a")
    twin.set(2, forKey: "a")
    #expect(all.changes.map(\.isOwn) == [true, false])
    #expect(all.changes.allSatisfy { $0.isLocal })
    #expect(others.values == [2])
    #expect(others.changes.map(\.old) == [1])
    for token in tokens { token.cancel() }
  }

  // O-6
  @Test func `what is set in one exact place is told before the call returns`() throws {
    let ear = Ear<Int>()
    let token = defaults.observe("a", change: ear.hear)
    let place = try Preferences(
      DomainIdentifier(DefaultsFixture.identifier, isSetUID: false), user: .current,
      host: .current, in: fixture.process)
    try place.setMultiple(["a": 1, "b": 2])
    #expect(ear.values == [1])
    #expect(ear.changes.allSatisfy { $0.isLocal && !$0.isOwn })
    token.cancel()
  }

  // O-2
  @Test func `a sequence has the value that there is and then every new one`() async {
    defaults.set("light", forKey: "Theme")
    var iterator = defaults.values(forKey: "Theme", as: String.self).makeAsyncIterator()
    #expect(await iterator.next() == "light")
    defaults.set("dark", forKey: "Theme")
    #expect(await iterator.next() == "dark")
    for number in 0..<100 { defaults.set("\(number)", forKey: "Theme") }
    #expect(await iterator.next() == "99", "who is slow gets the newest")
    defaults.removeObject(forKey: "Theme")
    #expect(await iterator.next() == .some(nil))
  }

  // O-6, O-7
  @Test func `a queue is where all is told, merged while it is busy`() async {
    let queue = DispatchQueue(label: "observing")
    let ear = Ear<Int>()
    queue.suspend()
    let token = defaults.observe("a", on: queue, change: ear.hear)
    for number in 1...50 { defaults.set(number, forKey: "a") }
    #expect(ear.values == [])
    queue.resume()
    queue.sync {}
    #expect(ear.values == [50])
    #expect(ear.changes.map(\.old) == [nil])
    queue.suspend()
    defaults.set(51, forKey: "a")
    defaults.set(50, forKey: "a")
    queue.resume()
    queue.sync {}
    #expect(ear.values == [50], "equal ends are no change")
    queue.suspend()
    defaults.set(52, forKey: "a")
    token.cancel()
    queue.resume()
    queue.sync {}
    #expect(ear.values == [50], "no call begins after the token is gone")
  }

  // O-6
  @Test func `what waits for a queue is not told once the object itself has replaced it`() {
    let queue = DispatchQueue(label: "observing")
    let (ear, first) = (Ear<String>(), Ear<String>())
    let other = UserDefaults(on: defaults.stack)
    queue.suspend()
    let tokens = [
      defaults.observe("a", ignoringOwn: true, on: queue, change: ear.hear),
      defaults.observe("a", options: .initial, ignoringOwn: true, on: queue, change: first.hear),
    ]
    other.set("other", forKey: "a")
    defaults.set("own", forKey: "a")
    queue.resume()
    queue.sync {}
    #expect(ear.values == [] && first.values == ["own"])
    other.set("X", forKey: "a")
    queue.sync {}
    queue.suspend()
    other.set("Y", forKey: "a")
    defaults.set("own again", forKey: "a")
    other.set("X", forKey: "a")
    queue.resume()
    queue.sync {}
    #expect(ear.values == ["X", "X"])
    #expect(ear.changes.map(\.old) == ["own", "own again"])
    for token in tokens { token.cancel() }
  }

  // O-10
  @Test func `a change that was on its way at the end is not told any more`() {
    let (arrived, go) = (Gate("the value is made an object"), Gate("ended"))
    let count = Guarded(0)
    Hesitant.pause.withLock {
      $0 = {
        arrived.open()
        go.wait()
      }
    }
    let token = defaults.observe(UserDefaults.Key("a", default: Hesitant(text: ""))) { _, _ in
      count.withLock { $0 += 1 }
    }
    interleave {
      defaults.set("text", forKey: "a")
    } with: {
      arrived.wait()
      token.cancel()
      go.open()
    }
    #expect(count.withLock { $0 } == 0)
  }

  // O-2
  @Test func `a sequence never has the same twice in a row`() async {
    defaults.set("A", forKey: "a")
    var iterator = defaults.values(forKey: "a", as: String.self).makeAsyncIterator()
    #expect(await iterator.next() == "A")
    defaults.set("B", forKey: "a")
    defaults.set("A", forKey: "a")
    let setter = Task { [fixture] in
      // Long after the next value was asked for.
      for _ in 0..<10_000 { await Task.yield() }
      fixture.defaults.set("end", forKey: "a")
    }
    #expect(await iterator.next() == "end")
    await setter.value
  }

  // O-4
  @Test func `of a step that is repeated only the change that is made is warned of`() {
    let ear = Ear<Int>()
    defaults.set(0, forKey: "a")
    let token = defaults.observe("a", options: .prior, change: ear.hear)
    let other = UserDefaults(on: defaults.stack)
    let isFirst = Guarded(true)
    defaults.update("a", default: 0) { value in
      if isFirst.withLock({ $0 }) {
        isFirst.withLock { $0 = false }
        // On another thread: one that sets the key in its own closure ends the program.
        interleave({}, with: { other.set(10, forKey: "a") })
      }
      value += 1
    }
    let priors = ear.changes.filter(\.isPrior).map { [$0.old, $0.new] }
    #expect(priors == [[0, 10], [10, 11]])
    token.cancel()
  }

  // O-2
  @Test func `a sequence of several keys has what there is and then every change of one`() async {
    defaults.set(1, forKey: "a")
    var iterator = defaults.values(forKeys: ["a", "b", "a"], as: Int.self).makeAsyncIterator()
    #expect(await iterator.next() == ["a": 1])
    defaults.set(2, forKey: "b")
    #expect(await iterator.next() == ["a": 1, "b": 2])
    defaults.set("no number", forKey: "a")
    #expect(await iterator.next() == ["b": 2])
    defaults.set(3, forKey: "c")
    defaults.setPersistentDomain(["a": 5, "b": 6], forName: DefaultsFixture.identifier)
    #expect(await iterator.next() == ["a": 5, "b": 6])
  }

  // O-2
  @Test func `a sequence that nobody reads any more observes nothing`() async {
    do {
      var iterator = defaults.values(forKey: "a", as: Int.self).makeAsyncIterator()
      #expect(await iterator.next() == .some(nil))
      #expect(fixture.process.isObserved)
    }
    let reader = Task { [fixture] in
      for await _ in fixture.defaults.values(forKeys: ["a"], as: Int.self) {}
    }
    reader.cancel()
    await reader.value
    #expect(!fixture.process.isObserved)
  }
}

/// A value that takes its time to be read.
private struct Hesitant: Codable, StorableValue {
  static let pause = Guarded<(@Sendable () -> Void)?>(nil)
  let text: String

  init(text: String) { self.text = text }

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
    Self.pause.withLock { $0 }?()
  }
}
