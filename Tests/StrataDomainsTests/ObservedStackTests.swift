import Dispatch
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataDomains
@testable import StrataStorage

/// Stacks that come and go, and what others do meanwhile.
@Suite struct ObservedStackTests {
  private let fixture: StackFixture
  private var process: DomainProcess { fixture.process }

  init() throws { fixture = try StackFixture() }

  // O-6
  @Test func `what others set before a step that is not theirs is told as theirs`() throws {
    let (stack, ear) = (try fixture.stack(), Ear())
    let observer = Observer(["a"], ear.hear)
    stack.add(observer)
    let goOn = try fixture.holdWatcher(of: stack)
    let suite = try DomainIdentifier("com.example.suite", isSetUID: false)
    let other = try fixture.elsewhere()
    try other.set(.integer(1), forKey: "a")
    process.perform(changesOf: ["a"], by: stack) {
      process.volatile.register(["a": .integer(0)])
    }.notify()
    try other.set(.integer(2), forKey: "a")
    try stack.add(suite: suite, by: stack)
    try other.set(.integer(3), forKey: "a")
    stack.remove(suite: suite, by: stack)
    #expect(ear.values == [.integer(1), .integer(2), .integer(3)])
    #expect(ear.changes.allSatisfy { $0.origin == .elsewhere })
    try other.set(nil, forKey: "a")
    process.perform(by: stack) { process.volatile.register(["a": .integer(5)]) }.notify()
    #expect(ear.changes.suffix(2).map(\.new) == [[.integer(0)], [.integer(5)]])
    #expect(ear.changes.last?.origin == .here(ObjectIdentifier(stack)))
    goOn()
    stack.remove(observer)
  }

  // D-9, O-6
  @Test func `without a home, too, forced values come into effect while the program runs`() throws {
    let homeless = try StackFixture(hasHome: false)
    let stack = try homeless.stack()
    #expect(stack.value(forKey: "a") == nil && stack.value(forKey: "a") == nil)
    try homeless.tree.write("{\"a\": \"forced\"}", to: "system/managed/com.example.app.plist")
    #expect(holds { stack.value(forKey: "a") == .string("forced") })
  }

  // D-29
  @Test func `users without a home share nothing`() throws {
    let homeless = try StackFixture(hasHome: false)
    let identifier = try DomainIdentifier(StackFixture.name, isSetUID: false)
    let others = ProcessSurroundings(
      environment: [:], userID: 4_711, user: .known(nil), isSetUID: false,
      host: HostIdentifier(of: "a machine"), executableName: "program")
    let (own, other) = (
      homeless.process.domain(identifier),
      homeless.process.domain(identifier, in: Places(of: others))
    )
    try own.set(.integer(1), forKey: "a")
    #expect(other.value(forKey: "a") == nil && own.value(forKey: "a") == .integer(1))
  }

  @Test func `a stack that ends with observers in it leaves nothing behind`() throws {
    weak var directories: DirectoryWatch?
    do {
      let stack = try fixture.stack()
      stack.add(Observer(["a"]) { _ in })
      directories = stack.absentDirectories
      #expect(process.isObserved)
    }
    #expect(process.observedStacks.isEmpty && !process.isObserved)
    #expect(holds { directories == nil }, "the watcher forgets it in a moment")
  }

  @Test func `a stack with suites outlives its objects, whatever threads do at once`() throws {
    let suites = try (0..<8).map {
      try DomainIdentifier("com.example.suite\($0)", isSetUID: false)
    }
    for round in 0..<200 {
      weak var kept: Stack?
      do {
        let stack = try fixture.stack()
        kept = stack
        DispatchQueue.concurrentPerform(iterations: suites.count) { number in
          do {
            try stack.add(suite: suites[number], by: stack)
            if number > 0 || round % 2 == 1 { stack.remove(suite: suites[number], by: stack) }
          } catch {
            Issue.record(error)
          }
        }
      }
      #expect((kept != nil) == (round % 2 == 0), "round \(round)")
      kept?.remove(suite: suites[0], by: process)
    }
  }
}
