import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// The values that a domain without files begins with, and that can't be read at first.
@Suite struct FirstValuesTests {
  private let machine = FaultMachine()
  private let code = Guarded<Int32>(0)

  private func store() -> Store {
    let rules = StoreRules(firstValues: { [code] () throws(StorageError) in
      let code = code.withLock { $0 }
      if code < 0 { return [:] }
      if code > 0 { throw StorageError(.read, "/home/old.plist", code: code) }
      return ["old": .integer(1), "both": .integer(1)]
    })
    return machine.process().store(at: CrashScript.paths, rules: rules)
  }

  private func look(_ store: Store) -> [String: PropertyListValue] {
    store.table.checkAt = 0  // as if it had not looked for a while
    return store.snapshot().values
  }

  // D-28, S-10
  @Test(arguments: [EMFILE, EIO, ENOMEM, ESTALE, ETIMEDOUT, EKEYEXPIRED], [true, false])
  func `values to begin with that can't be read for now come later, under what is set`(
    code: Int32, readsFirst: Bool
  ) throws {
    self.code.withLock { $0 = code }
    let store = store()
    if readsFirst { #expect(look(store).isEmpty) }
    try store.set(.integer(2), forKey: "both")
    #expect(look(store) == ["both": .integer(2)])
    #expect(!store.synchronize())
    #expect(store.issues.contains { $0.kind == .unreadable })
    self.code.withLock { $0 = 0 }
    #expect(store.synchronize())
    let expected: [String: PropertyListValue] = ["old": .integer(1), "both": .integer(2)]
    #expect(store.snapshot().values == expected && store.issues.isEmpty)
    #expect(
      machine.afterDeath().process().store(at: CrashScript.paths).snapshot().values == expected)
  }

  // D-28, S-10
  @Test func `who only reads sees the values to begin with once they can be read`() throws {
    code.withLock { $0 = EMFILE }
    let store = store()
    #expect(look(store).isEmpty && !store.issues.isEmpty)
    code.withLock { $0 = 0 }
    #expect(look(store) == ["old": .integer(1), "both": .integer(1)])
    #expect(store.issues.isEmpty)
  }

  // D-28
  @Test func `nothing to begin with is no issue when that is found out later`() throws {
    code.withLock { $0 = EMFILE }
    let store = store()
    #expect(look(store).isEmpty && !store.issues.isEmpty)
    code.withLock { $0 = -1 }
    #expect(look(store).isEmpty && store.issues.isEmpty)
  }

  // D-28, S-24
  @Test(arguments: [EACCES, EISDIR])
  func `values to begin with that can't ever be read keep nothing from being stored`(
    code: Int32
  ) throws {
    self.code.withLock { $0 = code }
    let store = store()
    try store.set(.integer(2), forKey: "both")
    #expect(store.synchronize())
    #expect(store.issues.contains { $0.description.contains("/home/old.plist") })
    let left = machine.afterDeath().process().store(at: CrashScript.paths)
    #expect(left.snapshot().values == ["both": .integer(2)])
  }
}
