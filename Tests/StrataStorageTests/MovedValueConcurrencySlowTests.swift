import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Values that go from one domain to another, which are searched together: they are in the new one
/// before they leave the old one.
@Suite struct MovedValueConcurrencySlowTests {
  private let machine = FaultMachine()

  private func paths(_ name: String) -> StorePaths {
    StorePaths(identifier: name, in: "/home/defaults")
  }

  private func stores(of process: StorageProcess) -> [Store] {
    ["first", "second"].map { process.store(at: paths($0)) }
  }

  private static func isFound(in list: SearchList) -> Bool {
    let found = list.cachedValue("a") ?? list.search("a")
    return found == .integer(1)
  }

  /// Puts the value into `new`, and takes it from `old`.
  private static func move(from old: Store, to new: Store) throws {
    try new.set(.integer(1), forKey: "a")
    try old.set(nil, forKey: "a")
  }

  // D-1
  @Test func `a value that another process moves to a domain that was looked at is found`() throws {
    let writer = stores(of: machine.process())
    // Before any call of whoever searches, until it makes none any more.
    var (count, isOver) = (0, false)
    while !isOver {
      try Self.move(from: writer[0], to: writer[1])
      try writer[1].set(.integer(1), forKey: "a")
      let list = SearchList(stores(of: machine.process()).map { .file($0) })
      var calls = 0
      machine.beforeLook = { [machine] _ in
        calls += 1
        guard calls == count + 1 else { return }
        machine.beforeLook = nil
        #expect(throws: Never.self) { try Self.move(from: writer[1], to: writer[0]) }
      }
      #expect(Self.isFound(in: list), "before call \(count + 1)")
      isOver = machine.beforeLook != nil
      machine.beforeLook = nil
      count += 1
    }
    #expect(count > 10)
  }

  // D-1, V-28
  @Test func `a value that another thread moves from one domain to the other is always found`()
    throws
  {
    let directory = TemporaryDirectory()
    let stores = ["first", "second"].map {
      Store.open(StorePaths(identifier: $0, in: directory.path))
    }
    try stores[1].set(.integer(1), forKey: "a")
    let list = SearchList(stores.map { .file($0) })
    let (isOver, hasEnded) = (Gate(), Gate())
    // Not a task, of which no two may run at a time.
    #expect(
      Thread.start {
        defer { hasEnded.open() }
        #expect(throws: Never.self) {
          while !isOver.isOpen {
            try Self.move(from: stores[1], to: stores[0])
            try Self.move(from: stores[0], to: stores[1])
          }
        }
      })
    let isFound = (0..<3_000_000).allSatisfy { _ in Self.isFound(in: list) }
    isOver.open()
    hasEnded.wait()
    #expect(isFound)
  }
}
