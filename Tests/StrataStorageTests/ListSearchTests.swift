import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A process whose first reads search a large property list instead of reading it.
@Suite struct ListSearchTests {
  private let machine = FaultMachine()
  private let paths = CrashScript.paths
  private static let values = Dictionary(
    uniqueKeysWithValues: (1_000..<16_000).map { ("key \($0)", PropertyListValue.integer($0)) })

  init() throws {
    machine.searchSizeMin = 0
    let store = machine.process().store(at: paths)
    try store.apply(ChangeSet(setting: Self.values))
    try #require(store.flush())
    machine.bytesRead = 0
  }

  private var size: Int { machine.names[paths.plist]?.bytes.count ?? 0 }

  /// The store as a process finds it that has just started.
  private func newcomer() -> Store { machine.process().store(at: paths) }

  private func edited(_ changes: [String: PropertyListValue]) -> [UInt8] {
    let values = Self.values.merging(changes) { $1 }
    return CheckedPlist.encode(values.map { ($0.key, $0.value) })
  }

  /// Where the text of a key lies.
  private func place(of key: String) throws -> Int {
    let bytes = try #require(machine.names[paths.plist]).bytes
    let text = Array(key.utf8)
    return try #require(
      bytes.indices.first { bytes[$0...].starts(with: text) && bytes[$0 - 1] >> 4 == 5 })
  }

  // S-23
  @Test func `the first reads of a process read no more than a part of a large list`() {
    let store = newcomer()
    #expect(store.integer(forKey: "key 4711") == 4711)
    #expect(store.value(forKey: "no key") == nil)
    #expect(store.phase == .closed)
    #expect(machine.bytesRead < size / 2)
  }

  // S-23
  @Test func `who reads more keys of a large list reads it once`() {
    let store = newcomer()
    for number in 1_000..<1_040 as Range<Int64> {
      #expect(store.integer(forKey: "key \(number)") == number)
    }
    #expect(store.phase == .open)
    #expect(machine.bytesRead > size)
    #expect(machine.bytesRead < 2 * size)
    machine.bytesRead = 0
    #expect(store.integer(forKey: "key 4711") == 4711)
    #expect(machine.bytesRead == 0)
  }

  // S-23
  @Test func `a small list is looked at, and read`() {
    machine.searchSizeMin = Int.max
    let store = newcomer()
    #expect(store.integer(forKey: "key 4711") == 4711)
    #expect(store.phase == .open)
  }

  // S-2
  @Test func `what others set is found by the next search`() throws {
    let (reader, writer) = (newcomer(), newcomer())
    #expect(reader.integer(forKey: "key 2000") == 2000)
    try writer.set(.integer(1), forKey: "key 2000")
    try writer.set(.integer(2), forKey: "key 2000")
    try writer.set(nil, forKey: "key 3000")
    #expect(reader.integer(forKey: "key 2000") == 2)
    #expect(newcomer().value(forKey: "key 3000") == nil)
    let last = newcomer()
    try writer.apply(ChangeSet([Change(key: "x", value: .integer(5))], replacesAll: true))
    #expect(last.value(forKey: "key 4000") == nil)
    #expect(last.integer(forKey: "x") == 5)
    #expect(last.phase == .closed)
    #expect(newcomer().snapshot().values == ["x": .integer(5)])
  }

  // S-2, S-8
  @Test(arguments: [0, Int.max])
  func `a first read finds what was set before it ended, whatever happens meanwhile`(
    searchSizeMin: Int
  ) throws {
    let new = edited(["key 2000": .integer(3)])
    for act in ["set", "flush", "edit", "edit in place", "lose"] {
      var (looks, chosen) = (0, 0)
      while looks >= chosen {
        chosen += 1
        let machine = machine.afterDeath()
        machine.searchSizeMin = searchSizeMin
        let writer = machine.process().store(at: paths)
        try writer.set(.integer(1), forKey: "key 2000")
        let reader = machine.process().store(at: paths)
        var possible = [Int64(1)]
        looks = 0
        machine.beforeLook = { [paths] _ in
          looks += 1
          guard looks == chosen else { return }
          machine.beforeLook = nil
          switch act {
          case "edit", "edit in place":
            possible = [1, 3]
            if act == "edit" {
              machine.edit(paths.plist, new)
            } else {
              machine.editInPlace(paths.plist, new)
            }
          case "lose": machine.remove(paths.journal)
          default:
            possible = [1, 2]
            do { try writer.set(.integer(2), forKey: "key 2000") } catch { Issue.record(error) }
            if act == "flush" { writer.flush() }
          }
        }
        let found = reader.integer(forKey: "key 2000")
        machine.beforeLook = nil
        if act == "lose" { possible = [1, 2000] }
        #expect(found.map(possible.contains) == true, "\(act) before look \(chosen): \(found ?? 0)")
        if act != "lose" {
          #expect(reader.integer(forKey: "key 2000") == possible.last, "\(act), look \(chosen)")
        }
        if looks < chosen { break }
        looks = chosen
      }
      #expect(chosen > 8)
    }
  }

  // S-8
  @Test(arguments: [false, true])
  func `an edit is found by the next search`(isInPlace: Bool) throws {
    let store = newcomer()
    #expect(store.integer(forKey: "key 2000") == 2000)
    let new = edited(["key 2000": .integer(1), "new": .integer(3)])
    if isInPlace {
      machine.editInPlace(paths.plist, new)
    } else {
      machine.edit(paths.plist, new)
    }
    #expect(store.integer(forKey: "key 2000") == 1)
    #expect(store.integer(forKey: "new") == 3)
  }

  // S-9a
  @Test func `damage costs the value that it hit, and is an issue for who asks`() throws {
    machine.damage(paths.plist, at: try place(of: "key 3000") + 2)
    let store = newcomer()
    #expect(store.integer(forKey: "key 2000") == 2000)
    #expect(store.phase == .closed)
    #expect(store.issues.contains { $0.kind == .damaged })
    let other = newcomer()
    #expect(other.value(forKey: "key 3000") == nil)
    #expect(other.integer(forKey: "key 3001") == 3001)
    #expect(other.issues.contains { $0.kind == .damaged })
  }

  // S-9, S-9a
  @Test(arguments: [false, true])
  func `a damaged list that was searched is kept when it is replaced`(replacesAll: Bool) throws {
    machine.damage(paths.plist, at: try place(of: "key 3000") + 2)
    let store = newcomer()
    #expect(store.integer(forKey: "key 2000") == 2000)
    try store.apply(ChangeSet([Change(key: "a", value: .integer(1))], replacesAll: replacesAll))
    usleep(1_100_000)  // it may be an edit that is still being written
    #expect(store.flush())
    #expect(machine.names.keys.count { $0.contains(".damaged-") } == 1)
    var expected = Self.values.merging(["a": .integer(1)]) { $1 }
    expected["key 3000"] = nil
    if replacesAll { expected = ["a": .integer(1)] }
    #expect(store.snapshot().values == expected)
    #expect(machine.afterDeath().process().store(at: paths).snapshot().values == expected)
  }

  // S-3, S-9a
  @Test func `what is pending counts over a list whose end is damaged`() throws {
    let writer = newcomer()
    try writer.set(.integer(1), forKey: "a")
    machine.damage(paths.plist, at: size - BinaryTrailer.size + 2)
    let store = newcomer()
    #expect(store.integer(forKey: "a") == 1)
    #expect(store.integer(forKey: "key 2000") == 2000)
    #expect(store.issues.contains { $0.kind == .damaged })
  }

  // S-9a, S-24
  @Test func `no call that fails once hides a value from a search, or a set after it`() throws {
    var (looks, chosen) = (0, 0)
    while looks >= chosen {
      chosen += 1
      let machine = machine.afterDeath()
      let store = machine.process().store(at: paths)
      looks = 0
      machine.quietError = { _, _ in
        looks += 1
        return looks == chosen ? EIO : nil
      }
      #expect(store.integer(forKey: "key 2000") == 2000, "look \(chosen)")
      machine.quietError = nil
      try store.set(nil, forKey: "key 3000")
      #expect(store.value(forKey: "key 3000") == nil)
      #expect(machine.afterDeath().process().store(at: paths).value(forKey: "key 3000") == nil)
    }
    #expect(chosen > 8)
  }

  // S-23
  @Test func `the smaller a list is, the sooner it is read`() {
    let store = newcomer()
    for key in ["key 2000", "key 2001"] { _ = store.value(forKey: key) }
    #expect(store.phase == .closed)
    _ = store.value(forKey: "key 2002")
    #expect(store.phase == .open)
  }

  // S-9a
  @Test func `a damaged record of the journal is an issue`() throws {
    try newcomer().set(.integer(1), forKey: "key 2000")
    machine.damage(paths.journal, at: JournalLayout.recordsStart + 30)
    let store = newcomer()
    #expect(store.integer(forKey: "key 2000") == 2000)
    #expect(store.phase == .open)
    #expect(store.issues.contains { $0.kind == .damaged })
  }

  // S-22
  @Test func `a list that is not trusted is not searched`() {
    let store = machine.process().store(
      at: paths, rules: StoreRules(distrust: { "anyone may write it" }))
    #expect(store.value(forKey: "key 2000") == nil)
    #expect(store.issues.contains { $0.kind == .notTrusted })
  }

  // S-3, S-17
  @Test func `what a restart left behind the word is found`() throws {
    let writer = newcomer()
    try writer.set(.integer(1), forKey: "key 2000")
    let journal = try #require(machine.names[paths.journal])
    let word = Array(journal.bytes[JournalLayout.word..<JournalLayout.word + 8])
    try writer.set(.integer(2), forKey: "key 2000")
    var bytes = journal.bytes
    bytes.replaceSubrange(JournalLayout.word..<JournalLayout.word + 8, with: word)
    journal.setContents(bytes)
    #expect(machine.afterRestart().process().store(at: paths).integer(forKey: "key 2000") == 2)
  }

  // S-17
  @Test func `what is pending from an earlier boot is found`() throws {
    try newcomer().set(.integer(1), forKey: "key 2000")
    let store = machine.afterRestart().process().store(at: paths)
    #expect(store.integer(forKey: "key 2000") == 1)
  }

  // P-7
  @Test func `a key in another spelling is found in a list that is searched`() throws {
    let writer = newcomer()
    try writer.set(.integer(1), forKey: "caf\u{E9}")
    #expect(newcomer().integer(forKey: "cafe\u{301}") == 1)
    #expect(writer.flush())
    #expect(newcomer().integer(forKey: "cafe\u{301}") == 1)
  }

  // S-8
  @Test func `what is set after a removal wins, also by who has searched the list before it`()
    throws
  {
    let store = newcomer()
    #expect(store.integer(forKey: "key 2000") == 2000)
    #expect(store.phase == .closed)
    machine.remove(paths.plist)
    try store.set(.integer(5), forKey: "key 3000")
    store.table.checkAt = 0
    #expect(store.integer(forKey: "key 3000") == 5)
    #expect(store.flush())
    for store in [store, newcomer()] {
      #expect(store.snapshot().values == ["key 3000": .integer(5)])
      #expect(store.issues.isEmpty)
    }
  }

  // S-26
  @Test func `a search leaves no file open`() throws {
    let place = try Place()
    let writer = place.freshStore()
    try writer.apply(ChangeSet(setting: Self.values))
    #expect(writer.flush())
    let disk = LimitedDisk()
    let store = StorageProcess(on: disk, isAutomatic: false).store(at: place.paths)
    #expect(store.integer(forKey: "key 2000") == 2000)
    #expect(store.phase == .closed)
    #expect(disk.openFileCount == 0)
  }

  // S-8, S-19
  @Test(arguments: [0, Int.max])
  func `names that are exchanged and back while the list is opened mislead nobody`(
    searchSizeMin: Int
  ) throws {
    machine.searchSizeMin = searchSizeMin
    let list = try #require(machine.names[paths.plist])
    let writer = newcomer()
    try writer.set(.integer(2001), forKey: "key 2000")
    #expect(writer.flush())
    let other = try #require(machine.names[paths.plist])
    #expect(other.size == list.size)
    machine.remove(paths.journal)
    var (opened, chosen) = (0, 0)
    while opened >= chosen {
      (opened, chosen) = (0, chosen + 1)
      machine.beforeLook = { [machine, paths] call in
        if call == .open { opened += 1 }
        machine.names[paths.plist] = call == .open && opened == chosen ? other : list
      }
      let store = machine.process().store(at: paths)
      #expect(store.integer(forKey: "key 2000") == 2000, "opening \(chosen)")
    }
    #expect(chosen > 1)
  }
}
