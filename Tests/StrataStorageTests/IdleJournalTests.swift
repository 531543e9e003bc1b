import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A journal that says by its size that the property list holds everything, and one that says so no
/// more.
@Suite struct IdleJournalTests {
  private let machine = FaultMachine()
  private let paths = CrashScript.paths
  private let writer: Store

  init() throws {
    writer = machine.process().store(at: paths)
    try writer.apply(ChangeSet(setting: ["a": .integer(1), "b": .integer(1)]))
    try #require(writer.flush())
  }

  private func newcomer() -> Store { machine.process().store(at: paths) }

  private func edit(isInPlace: Bool) {
    let list = CheckedPlist.encode([("a", .integer(2)), ("b", .integer(2))])
    if isInPlace {
      machine.editInPlace(paths.plist, list)
    } else {
      machine.edit(paths.plist, list)
    }
  }

  private var size: Int { machine.names[paths.journal]?.size ?? 0 }

  // S-25, S-26
  @Test func `one read of a domain at rest opens no journal, and the next one does`() {
    let store = newcomer()
    var opened: [FaultMachine.QuietCall] = []
    machine.beforeLook = { call in opened.append(call) }
    #expect(store.integer(forKey: "a") == 1)
    #expect(opened.count { $0 == .open } == 1)
    #expect(opened.count { $0 == .map } == 0)
    #expect(store.journal == nil)
    #expect(store.integer(forKey: "b") == 1)
    #expect(opened.count { $0 == .open } == 2)
    #expect(store.journal != nil)
    machine.bytesRead = 0
    #expect(store.integer(forKey: "a") == 1)
    #expect(machine.bytesRead == 0)
  }

  // S-2
  @Test func `from the first set on, a journal is not idle before the set returns`() throws {
    #expect(size == JournalLayout.idleSize)
    try writer.set(.integer(2), forKey: "a")
    #expect(size == JournalLayout.initialSize)
    #expect(newcomer().integer(forKey: "a") == 2)
    #expect(writer.flush())
    #expect(size == JournalLayout.idleSize)
    #expect(newcomer().integer(forKey: "a") == 2)
  }

  // S-2, S-8
  @Test(arguments: ["set", "set and flush", "edit", "edit in place", "remove the list"])
  func `what happened between the first read and the second is found by the second`(
    act: String
  ) throws {
    let store = newcomer()
    #expect(store.integer(forKey: "a") == 1)
    switch act {
    case "edit": edit(isInPlace: false)
    case "edit in place": edit(isInPlace: true)
    case "remove the list": machine.remove(paths.plist)
    default:
      try writer.set(.integer(2), forKey: "a")
      if act != "set" { #expect(writer.flush()) }
    }
    let isGone = act == "remove the list"
    #expect(store.integer(forKey: "a") == (isGone ? nil : 2))
    #expect(store.snapshot().values == newcomer().snapshot().values)
  }

  // S-8
  @Test(arguments: [false, true])
  func `a set after one read is newer than an edit before it, and takes nothing else`(
    isInPlace: Bool
  ) throws {
    let store = newcomer()
    #expect(store.integer(forKey: "a") == 1)
    edit(isInPlace: isInPlace)
    try store.set(.integer(3), forKey: "a")
    let values: [String: PropertyListValue] = ["a": .integer(3), "b": .integer(2)]
    #expect(store.snapshot().values == values)
    #expect(writer.snapshot().values == values)
    #expect(machine.afterDeath().process().store(at: paths).snapshot().values == values)
  }

  // S-9a
  @Test func `a journal cut to the size of an idle one costs what it held, and is reported`() throws
  {
    try writer.set(.integer(2), forKey: "a")
    let file = try #require(machine.names[paths.journal])
    machine.editInPlace(paths.journal, Array(file.bytes.prefix(JournalLayout.idleSize)))
    let found = machine.afterDeath()
    let store = found.process().store(at: paths)
    #expect(store.integer(forKey: "a") == 1)
    #expect(store.issues.contains { $0.kind == .damaged })
    #expect(store.integer(forKey: "a") == 1)
    #expect(store.integer(forKey: "b") == 1)
  }

  // S-26
  @Test func `a set that changes nothing, or an edit with nothing pending, leaves it idle`() throws
  {
    let store = newcomer()
    try store.set(.integer(1), forKey: "a")
    #expect(size == JournalLayout.idleSize && store.journal != nil)
    edit(isInPlace: false)
    try store.set(.integer(2), forKey: "a")
    #expect(store.integer(forKey: "b") == 2)
    #expect(size == JournalLayout.idleSize)
    #expect(newcomer().integer(forKey: "b") == 2)
    try store.set(.integer(3), forKey: "a")
    #expect(size == JournalLayout.initialSize)
  }

  // S-9a
  @Test func `a check finds a journal that passes for idle and is not`() throws {
    let file = try #require(machine.names[paths.journal])
    let word = JournalWord(length: JournalLayout.recordsStart, isRetired: true).rawValue
    file.cached.storeBytes(of: word, toByteOffset: JournalLayout.word, as: UInt64.self)
    let findings = StoreCheck(paths, on: FaultDisk(on: machine, process: 99)).findings
    #expect(findings.contains { $0.severity == .broken && $0.text.contains("4104 bytes") })
  }

  // S-2
  @Test func `a value that goes from one domain to another is found by a first search`() throws {
    let other = StorePaths(identifier: "other", in: paths.directory)
    let otherWriter = machine.process().store(at: other)
    try otherWriter.set(.integer(7), forKey: "moved")
    try #require(otherWriter.flush())
    var (looks, chosen) = (0, 0)
    while looks >= chosen {
      (looks, chosen) = (0, chosen + 1)
      let machine = machine.afterDeath()
      let (from, to) = (machine.process().store(at: other), machine.process().store(at: paths))
      let reader = machine.process()
      let list = SearchList([
        .file(reader.store(at: paths)), .file(reader.store(at: other)),
      ])
      machine.beforeLook = { _ in
        looks += 1
        guard looks == chosen else { return }
        machine.beforeLook = nil
        do {
          try to.set(.integer(7), forKey: "moved")
          try from.set(nil, forKey: "moved")
        } catch {
          Issue.record(error)
        }
      }
      #expect(list.search("moved") == .integer(7), "before look \(chosen)")
      machine.beforeLook = nil
    }
    #expect(chosen > 10)
  }

  // S-25
  @Test func `a first search that finds nothing opens no journal`() {
    let reader = machine.process()
    let store = reader.store(at: paths)
    let absent = reader.store(at: StorePaths(identifier: "absent", in: paths.directory))
    var maps = 0
    machine.beforeLook = { call in if call == .map { maps += 1 } }
    #expect(SearchList([.file(store), .file(absent)]).search("nothing") == nil)
    #expect(maps == 0 && store.journal == nil)
  }

  // O-6
  @Test func `who listens after one read is told of the next set`() throws {
    let store = newcomer()
    #expect(store.integer(forKey: "a") == 1)
    let delivery = Delivery()
    let watch = store.watch { delivery.take($0) }
    try writer.set(.integer(2), forKey: "a")
    #expect(writer.journal?.hasOtherWatchers == true)
    store.deliver()
    #expect(delivery.hears(Change(key: "a", value: .integer(2))))
    watch.cancel()
  }

  // S-2, S-4
  @Test func `what was set in a new journal survives, whether or not it had been idle`() throws {
    try writer.set(.integer(2), forKey: "a")
    try #require(writer.synchronize())
    var random = SeededGenerator(seed: 1)
    for _ in 0..<20 {
      let image = machine.afterPowerCut(using: &random)
      #expect(image.process().store(at: paths).integer(forKey: "a") == 2)
    }
  }
}
