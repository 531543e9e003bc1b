import Dispatch
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataDomains
@testable import StrataStorage

/// Observers of keys in a stack over real files.
@Suite struct ObservingTests {
  private let fixture: StackFixture
  private var tree: TemporaryTree { fixture.tree }
  private var process: DomainProcess { fixture.process }

  init() throws { fixture = try StackFixture(arguments: ["Forced": .integer(1)]) }

  private func stack() throws -> Stack { try fixture.stack() }

  private func elsewhere(_ name: String = StackFixture.name) throws -> Store {
    try fixture.elsewhere(name)
  }

  // O-6
  @Test func `what others change during a step that changes nothing is delivered as theirs`()
    async throws
  {
    let (stack, ear) = (try stack(), Ear())
    let observer = Observer.ofAllKeys(deliversInitial: false, ear.hear)
    stack.add(observer)
    let pending = try process.perform([], in: stack.own, by: stack) { () throws(StorageError) in
      try stack.own.set(.integer(1), forKey: "theirs")
    }
    #expect(pending.isEmpty)
    // As the watcher does, on its own thread.
    await withCheckedContinuation { done in
      DispatchQueue(label: "watcher").async {
        stack.notifyObservers(of: ["theirs"])
        done.resume()
      }
    }
    #expect(ear.changes.count == 1 && ear.changes.first?.origin == .elsewhere)
    stack.remove(observer)
  }

  private static func set(_ value: PropertyListValue?, _ key: String, in stack: Stack) throws {
    let change = Change(key: key, value: value)
    try stack.process.perform([change], in: stack.own, by: stack) {
      try stack.own.set(value, forKey: key)
    }.notify()
  }

  private func set(_ stack: Stack, _ value: PropertyListValue?, _ key: String) throws {
    try Self.set(value, key, in: stack)
  }

  @Test func `a local change is told once, before the setter returns`() throws {
    let (stack, ear) = (try stack(), Ear())
    let observer = Observer(["a"], ear.hear)
    stack.add(observer)
    try set(stack, .integer(1), "a")
    #expect(ear.values == [.integer(1)])
    try set(stack, .integer(1), "a")
    try set(stack, .integer(2), "b")
    #expect(ear.values.count == 1)
    try set(stack, nil, "a")
    #expect(ear.changes.map { $0.old[0] } == [nil, .integer(1)])
    #expect(ear.changes.allSatisfy { $0.origin == .here(ObjectIdentifier(stack)) })
    stack.remove(observer)
    try set(stack, .integer(3), "a")
    #expect(ear.values.count == 2)
  }

  @Test func `what is hidden by another domain is not told and what comes to light is`() throws {
    let (stack, ear) = (try stack(), Ear())
    let observers = ["Forced", "Registered"].map { Observer([$0], ear.hear) }
    for observer in observers { stack.add(observer) }
    try set(stack, .integer(5), "Forced")
    process.perform(changesOf: ["Registered"], by: stack) {
      process.volatile.register(["Registered": .integer(7)])
    }.notify()
    try set(stack, .integer(7), "Registered")
    #expect(ear.values == [.integer(7)])
    try set(stack, .integer(8), "Registered")
    try set(stack, nil, "Registered")
    #expect(ear.values == [.integer(7), .integer(8), .integer(7)])
    for observer in observers { stack.remove(observer) }
  }

  @Test func `another process's last value is the last that is told`() throws {
    let (stack, ear) = (try stack(), Ear())
    let observer = Observer(["a"], ear.hear)
    stack.add(observer)
    let other = try elsewhere()
    for number in 1...1_000 { try other.set(.integer(Int64(number)), forKey: "a") }
    #expect(holds { ear.values.last == .integer(1_000) })
    let numbers = ear.values.map { $0?.number ?? 0 }
    #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
    #expect(ear.changes.allSatisfy { $0.origin == .elsewhere })
    stack.remove(observer)
  }

  @Test func `suites, the global domain and an administrator's files are told of too`() throws {
    let (stack, ear) = (try stack(), Ear())
    let observer = Observer(["a"], ear.hear)
    stack.add(observer)
    try elsewhere("NSGlobalDomain").set(.string("global"), forKey: "a")
    #expect(holds { ear.values == [.string("global")] })
    try elsewhere("com.example.suite").set(.string("suite"), forKey: "a")
    try stack.add(suite: DomainIdentifier("com.example.suite", isSetUID: false), by: stack)
    // By the watcher, if that is still about to leave the observer.
    #expect(holds { ear.values.last == .string("suite") })
    try tree.write(
      "{\"a\": \"forced\"}", to: "system/managed/com.example.app.plist")
    #expect(holds { ear.values.last == .string("forced") })
    stack.remove(observer)
  }

  // O-6
  @Test func `a forced value is told that came while a reader put its directory in the list`()
    throws
  {
    let (stack, ear) = (try stack(), Ear())
    let observer = Observer(["a"], ear.hear)
    stack.add(observer)
    let goOn = try fixture.holdWatcher(of: stack)
    try tree.write("{\"a\": \"forced\"}", to: "system/managed/com.example.app.plist")
    // a reader                                           another thread
    _ = stack.absentDirectories.hasNews
    stack.absentDirectories.watch(stack.missingDirectories)
    /*                                                 */ stack.restartObserving()
    stack.reloadLayers()
    goOn()
    #expect(holds { ear.values == [.string("forced")] })
    stack.remove(observer)
  }

  // O-4, O-5
  @Test func `the first value is told by the thread that begins, whoever else has news`() {
    let ear = Ear()
    let observer = Observer(["a"], deliversInitial: true, ear.hear)
    observer.start(with: [.integer(1)])
    let done = DispatchSemaphore(value: 0)
    let hasThread = Thread.start {
      if observer.record([.integer(2)], by: .elsewhere) { observer.notify() }
      done.signal()
    }
    #expect(hasThread && done.wait(timeout: .now() + 600) == .success)
    #expect(ear.changes.isEmpty)
    observer.notify()
    #expect(ear.values == [.integer(2)])
    #expect(ear.changes.map(\.isFirst) == [true])
  }

  // O-6
  @Test func `an own change that is not told takes back what was to be told before it`() {
    let ear = Ear()
    let own = Observer.Origin.here(ObjectIdentifier(ear))
    let observer = Observer(["a"], ignoring: own, ear.hear)
    observer.start(with: [.integer(0)])
    _ = observer.record([.integer(1)], by: .elsewhere)
    #expect(!observer.record([.integer(2)], by: own))
    #expect(observer.record([.integer(3)], by: .elsewhere))
    observer.notify()
    #expect(ear.changes.map(\.old) == [[.integer(2)]] && ear.values == [.integer(3)])
  }

  // O-5
  @Test func `past a thousand changes that wait, the last ones are told as one`() {
    let ear = Ear()
    let observer = Observer(["a"], ear.hear)
    observer.start(with: [.integer(0)])
    let count = Int64(Observer.pendingMax) + 500
    let here = Observer.Origin.here(ObjectIdentifier(ear))
    for number in 1...count { _ = observer.record([.integer(number)], by: here) }
    observer.notify()
    #expect(ear.values.count == Observer.pendingMax)
    #expect(ear.values.last == .integer(count))
    for (one, next) in zip(ear.changes, ear.changes.dropFirst()) { #expect(one.new == next.old) }
  }

  @Test func `what comes back is told when what was between has been told`() throws {
    let (stack, ear) = (try stack(), Ear())
    let observer = Observer(["a"], ear.hear)
    stack.add(observer)
    let goOn = try fixture.holdWatcher(of: stack)
    let other = try elsewhere()
    try other.set(.integer(1), forKey: "a")
    stack.notifyObservers(of: ["a"])
    #expect(ear.values == [.integer(1)])
    try other.set(nil, forKey: "a")
    goOn()
    #expect(holds { ear.values == [.integer(1), nil] })
    stack.remove(observer)
  }

  @Test func `an observer may set, and add and remove observers, itself too`() throws {
    let (stack, ear) = (try stack(), Ear())
    let own = Guarded<Observer?>(nil)
    let observer = Observer(["a"]) { change in
      ear.hear(change)
      guard change.new == [.integer(1)] else { return }
      do {
        try Self.set(.integer(2), "a", in: stack)
      } catch {
        Issue.record(error)
      }
      own.withLock { $0 }.map { stack.remove($0) }
    }
    stack.add(observer)
    own.withLock { $0 = observer }
    try set(stack, .integer(1), "a")
    #expect(ear.values == [.integer(1), .integer(2)])
    try set(stack, .integer(3), "a")
    #expect(ear.values.count == 2)
  }

  // O-5, O-6
  @Test func `a change that is not told takes back what waits, which would be heard as the last`() {
    let ear = Ear()
    let own = Observer.Origin.here(ObjectIdentifier(ear))
    let observer = Observer(["a"], ignoring: own, ear.hear)
    observer.start(with: [nil])
    #expect(observer.record([.integer(1)], by: .elsewhere))
    #expect(!observer.record([.integer(2)], by: own))
    observer.notify()
    #expect(ear.changes.isEmpty)
    #expect(observer.record([.integer(3)], by: .elsewhere))
    observer.notify()
    #expect(ear.changes.map(\.old) == [[.integer(2)]])
    #expect(ear.values == [.integer(3)])
  }
}
