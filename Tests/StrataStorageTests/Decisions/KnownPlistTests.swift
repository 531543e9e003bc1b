import StrataPropertyList
import Testing

@testable import StrataStorage

/// What another look at a property list means, without a disk.
@Suite struct KnownPlistTests {
  private static let second: Int64 = 1_000_000_000

  private static func status(_ number: UInt64, size: Int = 10) -> FileStatus {
    var status = FileStatus()
    (status.number, status.size) = (number, size)
    return status
  }

  private static func reading(
    _ status: FileStatus?, _ content: PlistReading.Content = .foreign([:], .xml)
  ) -> PlistReading {
    let identity = PlistIdentity(size: UInt64(status?.size ?? 0), checksum: 1)
    return PlistReading(status: status, identity: identity, content: content)
  }

  private static func header(on status: FileStatus?) -> JournalHeader {
    JournalHeader(
      on: PlistIdentity(size: UInt64(status?.size ?? 0), checksum: 1), status,
      boot: BootID(high: 0, low: 1))
  }

  private static let unreadable = PlistReading.Content.unreadable(
    StorageError(.read, "plist", code: SystemCode.denied))

  private static func known(
    _ status: FileStatus?, _ content: PlistReading.Content = .foreign([:], .xml)
  ) -> KnownPlist {
    var plist = KnownPlist()
    plist.note(reading(status, content), at: second)
    return plist
  }

  // S-8
  @Test func `a read believes at its second look that the file is gone, a write at once`() {
    var plist = Self.known(Self.status(1))
    let header = Self.header(on: Self.status(1))
    #expect(plist.look(nil, header, for: .reading) == .missing)
    #expect(plist.isMissing)
    #expect(plist.look(nil, header, for: .reading) == .changed)
    #expect(!plist.isMissing)
    #expect(plist.look(nil, header, for: .reading) == .missing)
    #expect(plist.look(nil, header, for: .writing) == .changed)
  }

  // S-8
  @Test func `a file that is back after the first look was never gone`() {
    var plist = Self.known(Self.status(1))
    let header = Self.header(on: Self.status(1))
    #expect(plist.look(nil, header, for: .reading) == .missing)
    #expect(plist.look(Self.status(1), header, for: .reading) == .known)
    #expect(plist.look(nil, header, for: .reading) == .missing, "another removal")
  }

  // S-8
  @Test func `a file is known by its status, or as what the journal stands on`() {
    var plist = Self.known(Self.status(1))
    #expect(plist.look(Self.status(1), Self.header(on: nil), for: .reading) == .known)
    #expect(plist.look(Self.status(2), Self.header(on: Self.status(1)), for: .writing) == .changed)
    #expect(plist.look(Self.status(2), Self.header(on: Self.status(2)), for: .writing) == .known)
    #expect(plist.status == Self.status(2))
  }

  // S-24
  @Test func `a file that can't be read is looked at again, whatever its status says`() {
    var plist = Self.known(Self.status(1), Self.unreadable)
    #expect(plist.obstacle != nil && !plist.isSound)
    let header = Self.header(on: Self.status(1))
    #expect(plist.look(Self.status(1), header, for: .reading) == .changed)
    plist.note(Self.reading(Self.status(1)), at: 2 * Self.second)
    #expect(plist.obstacle == nil && plist.isSound)
    #expect(plist.look(Self.status(1), header, for: .reading) == .known)
  }

  // S-8, S-9
  @Test func `what can't be used gets a second to become an edit, and another for each change`() {
    let broken = PlistReading.Content.malformed("it ends too soon")
    var plist = Self.known(Self.status(1), broken)
    #expect(plist.isUnsettled(at: Self.second))
    #expect(plist.isUnsettled(at: 2 * Self.second - 1))
    #expect(!plist.isUnsettled(at: 2 * Self.second))
    plist.note(Self.reading(Self.status(1), broken), at: 3 * Self.second)
    #expect(!plist.isUnsettled(at: 3 * Self.second), "the same as before")
    plist.note(Self.reading(Self.status(1, size: 11), broken), at: 4 * Self.second)
    #expect(plist.isUnsettled(at: 4 * Self.second), "somebody is writing it")
    plist.noteWritten(Self.status(2))
    #expect(!plist.isUnsettled(at: 4 * Self.second) && plist.isSound)
  }

  // S-11, P-2
  @Test func `a file keeps its format, also while it can't be used`() {
    var plist = Self.known(Self.status(1))
    #expect(plist.format == .xml)
    plist.note(Self.reading(Self.status(2), .malformed("")), at: Self.second)
    #expect(plist.format == .xml)
    plist.note(Self.reading(nil, .absent), at: Self.second)
    #expect(plist.format == .xml, "a file that is removed says nothing of the next")
    plist.note(Self.reading(Self.status(3), .foreign([:], .binary)), at: Self.second)
    #expect(plist.format == .binary)
  }
}
