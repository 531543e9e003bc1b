import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// In which notation a domain's file is written, and what is kept of damaged ones.
@Suite struct FormatTests {
  private let machine = FaultMachine()
  private var paths: StorePaths { CrashScript.paths }

  private func bytes(of path: String) throws -> [UInt8] {
    try #require(machine.names[path]).bytes
  }

  private func put(_ values: [String: PropertyListValue], as format: PropertyListFormat) throws {
    machine.makeParents(of: paths.plist)
    machine.edit(paths.plist, try PropertyList.encode(.dictionary(values), as: format))
  }

  // P-3
  @Test func `an XML file is XML after a flush and a new one is binary`() throws {
    try put(["a": .integer(1)], as: .xml)
    let store = machine.process().store(at: paths)
    try store.set(.integer(2), forKey: "b")
    #expect(store.flush())
    let (value, format) = try PropertyList.decode(try bytes(of: paths.plist))
    #expect(format == .xml)
    #expect(value == .dictionary(["a": .integer(1), "b": .integer(2)]))

    let other = StorePaths(identifier: "new", in: paths.directory)
    let new = machine.process().store(at: other)
    try new.set(.integer(2), forKey: "b")
    #expect(new.flush())
    #expect(try PropertyList.decode(try bytes(of: other.plist)).format == .binary)
  }

  // P-2, P-3
  @Test func `what XML would lose is written in binary`() throws {
    try put(["a": .integer(1)], as: .xml)
    let store = machine.process().store(at: paths)
    let date = PropertyListValue.date(PropertyListDate(secondsSinceReference: 1.5))
    try store.set(date, forKey: "b")
    #expect(store.flush())
    let (value, format) = try PropertyList.decode(try bytes(of: paths.plist))
    #expect(format == .binary)
    #expect(value == .dictionary(["a": .integer(1), "b": date]))
  }

  // P-3
  @Test func `a domain chooses its format by StrataFormat`() throws {
    let store = machine.process().store(at: paths)
    try store.set(.string("xml"), forKey: "StrataFormat")
    #expect(store.flush())
    #expect(try PropertyList.decode(try bytes(of: paths.plist)).format == .xml)
    try store.set(.string("binary"), forKey: "StrataFormat")
    #expect(store.flush())
    #expect(try PropertyList.decode(try bytes(of: paths.plist)).format == .binary)
  }

  // S-9, S-9a
  @Test func `a journal with damaged records is kept when another one takes its place`() throws {
    let writer = machine.process().store(at: paths)
    try writer.set(.string("lost"), forKey: "a")
    try writer.set(.string("kept"), forKey: "b")
    let file = try #require(machine.names[paths.journal])
    let hit = JournalLayout.recordsStart + JournalRecord.headerSize + 4
    file.cached.storeBytes(of: 0xFF, toByteOffset: hit, as: UInt8.self)
    let damaged = file.bytes

    let store = machine.process().store(at: paths)
    #expect(store.snapshot().values == ["b": .string("kept")])
    try store.set(.integer(1), forKey: "c")
    #expect(store.flush())
    let kept = try #require(store.issues.compactMap(\.keptAt).first)
    let both = JournalLayout.recordsStart..<JournalLayout.recordsStart + 64
    #expect(try bytes(of: kept)[both] == damaged[both])
    #expect(store.issues.contains { $0.kind == .damaged })
  }

  // S-8
  @Test func `an edit that is being written is not moved aside`() throws {
    try put(["a": .integer(1)], as: .xml)
    let store = machine.process().store(at: paths)
    try store.set(.integer(2), forKey: "b")
    let edit = try PropertyList.encode(.dictionary(["a": .integer(5)]), as: .xml)
    machine.editInPlace(paths.plist, Array(edit.prefix(60)))
    #expect(store.checkpoint() != .done)
    #expect(store.issues.map(\.kind) == [.malformed])
    machine.editInPlace(paths.plist, edit)
    #expect(store.checkpoint() != .failed)
    #expect(store.snapshot().values == ["a": .integer(5)])
    #expect(store.issues == [], "what is over is no issue any more")
    #expect(try bytes(of: paths.plist) == edit)
  }

  // S-4, S-11
  @Test func `an announcement of which a byte is wrong announces nothing`() throws {
    let store = machine.process().store(at: paths)
    try store.set(.integer(1), forKey: "a")
    let journal = try #require(store.journal)
    let intent = CheckpointIntent(
      identity: PlistIdentity(size: 77, checksum: 99), covers: journal.length,
      draft: PlistDraft.Number(rawValue: 55))
    journal.announce(intent)
    #expect(journal.intent == intent)
    let file = try #require(machine.names[paths.journal])
    for offset in JournalLayout.intent..<JournalLayout.intent + 28 {
      let byte = (file.cached + offset).assumingMemoryBound(to: UInt8.self)
      byte.pointee ^= 0x10
      #expect(journal.intent == nil, "byte \(offset)")
      byte.pointee ^= 0x10
    }
    #expect(journal.intent == intent)
  }

  // S-9a
  @Test(arguments: [0, 1, 127, 4_096, 65_536])
  func `a journal that was emptied is reported`(size: Int) throws {
    let writer = machine.process().store(at: paths)
    try writer.set(.integer(1), forKey: "a")
    let file = try #require(machine.names[paths.journal])
    file.setContents([UInt8](repeating: 0, count: size))
    let store = machine.process().store(at: paths)
    #expect(store.value(forKey: "a") == nil)
    #expect(store.issues.contains { $0.kind == .damaged && $0.path == paths.journal })
    try store.set(.integer(2), forKey: "a")
    #expect(store.flush())
    #expect(machine.process().store(at: paths).integer(forKey: "a") == 2)
  }
}
