import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A process whose first reads search a large property list instead of reading it.
@Suite struct SearchedListTests {
  private let machine = FaultMachine()
  private let paths = CrashScript.paths
  private static let values = Dictionary(
    uniqueKeysWithValues: (1_000..<11_000).map { ("key \($0)", PropertyListValue.integer($0)) })

  init() throws {
    let store = machine.process().store(at: paths)
    try store.apply(ChangeSet(setting: Self.values))
    try #require(store.flush())
    machine.bytesRead = 0
  }

  private var size: Int { machine.names[paths.plist]?.bytes.count ?? 0 }

  private func edited(_ changes: [String: PropertyListValue]) -> [UInt8] {
    let values = Self.values.merging(changes) { $1 }
    return CheckedPlist.encode(values.map { ($0.key, $0.value) })
  }

  /// Where the record of a key lies.
  private func place(of key: String) throws -> Int {
    let bytes = try #require(machine.names[paths.plist]).bytes
    let text = Array(key.utf8)
    return try #require(
      bytes.indices.first { bytes[$0...].starts(with: text) && bytes[$0 - 1] >> 4 == 5 })
  }

  private func keptFiles() -> [String] { machine.names.keys.filter { $0.contains(".damaged-") } }

  // S-23
  @Test func `the first reads of a process read no more than a part of a large list`() {
    let store = machine.process().store(at: paths)
    #expect(store.integer(forKey: "key 4711") == 4711)
    #expect(store.value(forKey: "no key") == nil)
    #expect(machine.bytesRead < size / 2)
  }

  // S-23
  @Test func `who reads many keys of a large list reads it once`() {
    let store = machine.process().store(at: paths)
    for number in 1_000..<1_040 as Range<Int64> {
      #expect(store.integer(forKey: "key \(number)") == number)
    }
    #expect(machine.bytesRead > size)
    #expect(machine.bytesRead < 2 * size)
  }

  // S-13
  @Test func `a key that was searched for is known from then on`() {
    let store = machine.process().store(at: paths)
    #expect(store.integer(forKey: "key 2000") == 2000)
    #expect(store.value(forKey: "no key") == nil)
    machine.bytesRead = 0
    #expect(store.integer(forKey: "key 2000") == 2000)
    #expect(store.value(forKey: "no key") == nil)
    #expect(machine.bytesRead == 0)
  }

  // S-2
  @Test func `what others set is seen while the list is only searched`() throws {
    let (reader, writer) = (machine.process().store(at: paths), machine.process().store(at: paths))
    #expect(reader.integer(forKey: "key 2000") == 2000)
    try writer.set(.integer(1), forKey: "key 2000")
    try writer.set(nil, forKey: "key 3000")
    #expect(reader.integer(forKey: "key 2000") == 1)
    #expect(reader.value(forKey: "key 3000") == nil)
    try writer.apply(ChangeSet([Change(key: "x", value: .integer(5))], replacesAll: true))
    #expect(reader.value(forKey: "key 4000") == nil)
    #expect(reader.snapshot().values == ["x": .integer(5)])
  }

  // S-2, S-7
  @Test func `a list that was searched is read on after another process has replaced it`() throws {
    let (reader, writer) = (machine.process().store(at: paths), machine.process().store(at: paths))
    #expect(reader.integer(forKey: "key 2000") == 2000)
    try writer.set(.integer(1), forKey: "key 3000")
    #expect(writer.flush())
    #expect(reader.integer(forKey: "key 3000") == 1)
    #expect(reader.integer(forKey: "key 4000") == 4000)
    #expect(
      reader.snapshot().values == Self.values.merging(["key 3000": .integer(1)]) { $1 })
  }

  // S-8
  @Test(arguments: [false, true])
  func `an edit counts while the list is only searched`(isInPlace: Bool) throws {
    let store = machine.process().store(at: paths)
    #expect(store.integer(forKey: "key 2000") == 2000)
    let new = edited(["key 2000": .integer(1), "key 3000": .integer(2), "new": .integer(3)])
    if isInPlace {
      machine.editInPlace(paths.plist, new)
      // Though nobody has looked at the files since.
      #expect(store.integer(forKey: "key 3000") == 2)
    } else {
      machine.edit(paths.plist, new)
    }
    store.table.checkAt = 0  // as if it had not looked for a while
    #expect(store.integer(forKey: "key 2000") == 1)
    #expect(store.integer(forKey: "key 3000") == 2)
    #expect(store.integer(forKey: "new") == 3)
    #expect(store.integer(forKey: "key 4000") == 4000)
  }

  // S-8
  @Test func `an edit in place is no wrong value, even if it looks like the file before`() throws {
    let store = machine.process().store(at: paths)
    #expect(store.integer(forKey: "key 2000") == 2000)
    // Of the same size and time, as within one tick of the clock: its end differs.
    let file = try #require(machine.names[paths.plist])
    let changes: [String: PropertyListValue] = [
      "key 2000": .integer(2001), "key 3000": .integer(3001),
    ]
    file.setContents(edited(changes))
    #expect([3000, 3001].contains(store.integer(forKey: "key 3000")))
    #expect(store.snapshot().values == Self.values.merging(changes) { $1 })
  }

  // S-9a
  @Test func `damage costs the value that it hit, and no other search finds it`() throws {
    machine.damage(paths.plist, at: try place(of: "key 3000") + 2)
    let store = machine.process().store(at: paths)
    #expect(store.integer(forKey: "key 2000") == 2000)
    #expect(machine.bytesRead < size / 2)
    #expect(store.value(forKey: "key 3000") == nil)
    #expect(store.integer(forKey: "key 3001") == 3001)
    #expect(store.issues.contains { $0.kind == .damaged })
  }

  // S-9a
  @Test func `damage that no search has met is an issue for who asks`() throws {
    machine.damage(paths.plist, at: try place(of: "key 3000") + 2)
    let store = machine.process().store(at: paths)
    #expect(store.integer(forKey: "key 2000") == 2000)
    #expect(store.issues.contains { $0.kind == .damaged })
    let other = machine.process().store(at: paths)
    #expect(other.issues.contains { $0.kind == .damaged })
  }

  // S-9, S-9a
  @Test(arguments: [false, true])
  func `a damaged list that was only searched is kept when it is replaced`(
    isSetFirst: Bool
  ) throws {
    machine.damage(paths.plist, at: try place(of: "key 3000") + 2)
    let store = machine.process().store(at: paths)
    if isSetFirst { try store.set(.integer(1), forKey: "a") }
    #expect(store.integer(forKey: "key 2000") == 2000)
    if !isSetFirst { try store.set(.integer(1), forKey: "a") }
    usleep(1_100_000)  // it may be an edit that is still being written
    #expect(store.flush())
    #expect(keptFiles().count == 1)
    var expected = Self.values.merging(["a": .integer(1)]) { $1 }
    expected["key 3000"] = nil
    #expect(store.snapshot().values == expected)
    #expect(machine.afterDeath().process().store(at: paths).snapshot().values == expected)
  }

  // S-9a, S-24
  @Test func `a list that can't be read on is read again once it can be`() throws {
    let store = machine.process().store(at: paths)
    #expect(store.integer(forKey: "key 2000") == 2000)
    machine.quietError = { call, _ in call == .read || call == .open ? EIO : nil }
    #expect(store.value(forKey: "key 3000") == nil)
    #expect(!store.issues.isEmpty)
    machine.quietError = nil
    store.table.checkAt = 0
    #expect(store.integer(forKey: "key 3000") == 3000)
    #expect(store.snapshot().values == Self.values)
  }

  /// What needs all values.
  enum Need: CaseIterable { case snapshot, listener, size }

  // S-9a, S-24
  @Test(arguments: Need.allCases)
  func `a list that can't be read on at one moment is whole all the same`(need: Need) throws {
    let store = machine.process().store(at: paths)
    #expect(store.integer(forKey: "key 2000") == 2000)
    machine.quietError = { [machine] call, _ in
      guard call == .read else { return nil }
      machine.quietError = nil
      return EIO
    }
    switch need {
    case .snapshot: #expect(store.snapshot().values == Self.values)
    case .listener: withExtendedLifetime(store.addListener { _ in }) {}
    case .size: #expect(store.lock.withLock { store.byteCount } > Self.values.count)
    }
    #expect(store.table.values() == Self.values)
  }

  // S-3, S-9a
  @Test func `what is pending counts over a list whose end is damaged`() throws {
    let writer = machine.process().store(at: paths)
    try writer.set(.integer(1), forKey: "a")
    machine.damage(paths.plist, at: size - BinaryTrailer.size + 2)
    let store = machine.process().store(at: paths)
    #expect(store.integer(forKey: "a") == 1)
    #expect(store.integer(forKey: "key 2000") == 2000)
    #expect(store.issues.contains { $0.kind == .damaged })
  }

  // S-8, S-19
  @Test(arguments: [0, Int.max])
  func `names that are exchanged and back while the list is opened mislead nobody`(
    searchSizeMin: Int
  ) throws {
    machine.searchSizeMin = searchSizeMin
    let list = try #require(machine.names[paths.plist])
    let other = machine.makeFile(mode: 0o600)
    other.setContents(edited(["key 2000": .integer(2001)]))  // of the same size
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
    #expect(chosen > 2)
  }

  // P-7
  @Test func `a key in another spelling is found in a list that is only searched`() throws {
    let writer = machine.process().store(at: paths)
    try writer.set(.integer(1), forKey: "caf\u{E9}")
    #expect(writer.flush())
    let store = machine.process().store(at: paths)
    #expect(store.integer(forKey: "cafe\u{301}") == 1)
  }

  // S-22
  @Test(arguments: [false, true])
  func `a descriptor that leads elsewhere by now is neither believed nor closed`(
    isJournalLost: Bool
  ) throws {
    let place = try Place()
    let writer = place.freshStore()
    try writer.apply(ChangeSet(setting: Self.values))
    #expect(writer.flush())
    let store = place.freshStore()
    #expect(store.integer(forKey: "key 2000") == 2000)
    let descriptor = try #require(Self.descriptor(of: place.plist))
    let other = place.directory + "/other"
    try place.overwrite(other, CheckedPlist.encode([("key 3000", .integer(1))]))
    let file = open(other, O_RDONLY)
    #expect(dup2(file, descriptor) == descriptor)
    close(file)
    var expected = Self.values
    if isJournalLost {
      try writer.set(.integer(1), forKey: "a")
      #expect(store.integer(forKey: "a") == 1)
      expected["a"] = .integer(1)
      unlink(place.paths.journal)
      store.table.checkAt = 0
    }
    #expect(store.integer(forKey: "key 3000") == 3000)
    #expect(store.snapshot().values == expected)
    #expect(place.freshValues() == expected)
    #expect(Self.descriptor(of: other) == descriptor)
    close(descriptor)
  }

  private static func descriptor(of path: String) -> Int32? {
    (3..<1_024 as Range<Int32>).first { number in
      var name = [CChar](repeating: 0, count: 4_096)
      let count = readlink("/proc/self/fd/\(number)", &name, name.count)
      let bytes = name.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
      return String(decoding: bytes, as: UTF8.self) == path
    }
  }
}
