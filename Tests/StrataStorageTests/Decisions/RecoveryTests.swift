import StrataPropertyList
import Testing

@testable import StrataStorage

/// What files that are found together mean: the tables, without a disk.
@Suite struct RecoveryTests {
  private static let thisBoot = BootID(high: 1, low: 1)
  private static let otherBoot = BootID(high: 2, low: 2)
  private static let start = JournalLayout.recordsStart

  private static let base = PlistIdentity(size: 100, checksum: 1)
  private static let announced = PlistIdentity(size: 200, checksum: 2)
  private static let other = PlistIdentity(size: 300, checksum: 3)

  /// A file on the disk, by what counts of it.
  private static func plist(
    _ identity: PlistIdentity, _ content: PlistReading.Content = .foreign([:], .binary)
  ) -> PlistReading {
    PlistReading(status: status(of: identity), identity: identity, content: content)
  }

  private static func status(of identity: PlistIdentity) -> FileStatus {
    var status = FileStatus()
    status.size = Int(clamping: identity.size)
    status.number = UInt64(identity.checksum)
    return status
  }

  private static let damaged = PlistReading.Content.malformed("it is no property list")
  private static let unreadable = PlistReading.Content.unreadable(
    StorageError(.read, "plist", code: SystemCode.denied))

  private static let unseen = PlistReading(status: nil, identity: .unknown, content: unreadable)

  private static func journal(
    on base: PlistIdentity = base, boot: BootID = thisBoot, isWritable: Bool = true
  ) -> Recovery.JournalFacts {
    let header = JournalHeader(on: base, base == .absent ? nil : status(of: base), boot: boot)
    return Recovery.JournalFacts(header: header, isWritable: isWritable)
  }

  private static func intent(covers: Int) -> CheckpointIntent {
    CheckpointIntent(identity: announced, covers: covers, draft: .none)
  }

  // S-3, S-8, S-9
  @Test(arguments: [
    ("what the journal stands on", plist(base), base, nil, Recovery.Standing.adds(from: start)),
    ("nothing, as at the beginning", .absent, .absent, nil, .adds(from: start)),
    ("nothing, where there was a file", .absent, base, nil, .edited),
    (
      "what a checkpoint announced", plist(announced), base, intent(covers: 5000), .adds(from: 5000)
    ),
    (
      "the same, overtaken by an edit", plist(announced), base, intent(covers: 0),
      .adds(from: start)
    ),
    ("what was never announced", plist(announced), base, nil, .edited),
    ("another file", plist(other), base, intent(covers: 5000), .edited),
    ("a damaged one", plist(other, damaged), base, nil, .adds(from: start)),
    ("one that can't be read", plist(.unknown, unreadable), base, nil, .adds(from: start)),
    ("any, on one that could not be read", plist(other), .unknown, nil, .adds(from: start)),
  ])
  func `a plist file and a journal belong together by identity`(
    what: String, plist: PlistReading, base: PlistIdentity, intent: CheckpointIntent?,
    expected: Recovery.Standing
  ) {
    var journal = Self.journal(on: base)
    journal.intent = intent
    #expect(Recovery.standing(of: plist, journal) == expected, "\(what)")
  }

  /// A file that says which records it holds.
  private static func plist(holding held: JournalKnowledge) throws -> PlistReading {
    let bytes = CheckedPlist.encode([], holding: held)
    guard case .intact(let index) = CheckedPlist.inspect(bytes) else { return .absent }
    return plist(other, .intact(index))
  }

  private static func known(
    _ lineage: UInt64, _ generation: UInt32, _ length: Int = 5000
  ) -> JournalKnowledge {
    JournalKnowledge(lineage: lineage, generation: generation, length: length)
  }

  // S-3, S-8, S-9
  @Test(arguments: [
    ("of the lost journal", known(7, 4), Recovery.Standing.adds(from: start)),
    ("of one that continued it", known(7, 5), .adds(from: start)),
    ("of one before it, as a backup", known(7, 3), .edited),
    ("of another lineage", known(8, 4), .edited),
  ])
  func `a checkpoint of a lost journal is no edit where something was brought from that`(
    what: String, held: JournalKnowledge, expected: Recovery.Standing
  ) throws {
    var journal = Self.journal()
    let plist = try Self.plist(holding: held)
    #expect(Recovery.standing(of: plist, journal) == .edited, "\(what)")
    journal.rescued = Self.known(7, 4, 0)
    #expect(Recovery.standing(of: plist, journal) == expected, "\(what)")
    #expect(Recovery.mustRebase(plist, journal), "\(what)")
  }

  // S-3, S-8, S-9
  @Test(arguments: [(4, false), (3, true), (5, false)] as [(UInt32, Bool)])
  func `a checkpoint is no edit to who has lost its journal with the announcement`(
    generation: UInt32, isEdited: Bool
  ) throws {
    var header = JournalHeader(on: Self.base, nil, boot: Self.thisBoot)
    (header.lineage, header.generation) = (7, 4)
    let lost = Recovery.JournalFacts(header: header, isWritable: true)
    let plist = try Self.plist(holding: Self.known(7, generation))
    #expect(Recovery.isEdited(plist, sinceLossOf: lost) == isEdited)
    #expect(try Recovery.isEdited(Self.plist(holding: Self.known(8, 4)), sinceLossOf: lost))
    #expect(Recovery.isEdited(Self.plist(Self.other), sinceLossOf: lost))
  }

  // S-8, S-24
  @Test(arguments: [
    ("the one before", plist(base), base as PlistIdentity?, start),
    ("an edit of that", plist(other), base, 5000),
    ("its removal", .absent, base, 5000),
    ("what is damaged, and nobody meant", plist(other, damaged), base, start),
    ("what still can't be read", plist(.unknown, unreadable), base, start),
    ("any, where none was known before", plist(other), nil, start),
  ])
  func `a file that could not be read is an edit of what was set before, or the one before`(
    what: String, plist: PlistReading, former: PlistIdentity?, expected: Int
  ) {
    var header = JournalHeader(on: .unknown, nil, boot: Self.thisBoot)
    header.former = former.map { FormerRecords(base: $0, end: 5000) }
    let journal = Recovery.JournalFacts(header: header, isWritable: true)
    #expect(Recovery.standing(of: plist, journal) == .adds(from: expected), "\(what)")
  }

  // S-17, S-24
  @Test(arguments: [
    ("as it was left", plist(base), journal(), Recovery.Addition.asItIs),
    ("after a restart", plist(base), journal(boot: otherBoot), .ofThisBoot),
    (
      "after a restart, for who may only read", plist(base),
      journal(boot: otherBoot, isWritable: false), .ofThisBoot
    ),
    ("a file in its place can't be read", plist(other, unreadable), journal(), .rebased),
    ("what is there can't even be looked at", unseen, journal(), .rebased),
    ("the file itself can't be read any more", plist(base, unreadable), journal(), .asItIs),
    ("a file that could not be read can be", plist(other), journal(on: .unknown), .rebased),
    ("it still can't be read", plist(other, unreadable), journal(on: .unknown), .asItIs),
    (
      "a reader changes nothing", plist(other, unreadable), journal(isWritable: false), .asItIs
    ),
    ("a damaged file is no reason", plist(other, damaged), journal(), .asItIs),
  ])
  func `records are added to a file by a journal that may say so`(
    what: String, plist: PlistReading, journal: Recovery.JournalFacts, expected: Recovery.Addition
  ) {
    let addition = Recovery.addition(to: plist, journal, boot: Self.thisBoot)
    #expect(addition == expected, "\(what)")
  }

  // S-24, S-17
  @Test func `a process that goes on with a journal of another boot rebases it as any other`() {
    let journal = Self.journal(boot: Self.otherBoot)
    #expect(Recovery.mustRebase(Self.plist(Self.other, Self.unreadable), journal))
    #expect(!Recovery.mustRebase(Self.plist(Self.base), journal))
    let onUnknown = Self.journal(on: .unknown, boot: Self.otherBoot)
    #expect(Recovery.mustRebase(Self.plist(Self.other), onUnknown))
  }

  // S-3, S-10
  @Test func `a journal that is lost stays so when sets are refused for another reason`() {
    var appending = Store.Appending.lost(Store.Loss(text: "it was removed", known: 0))
    appending.refuse()
    guard case .lost = appending else {
      Issue.record("nobody looks for another journal any more: \(appending)")
      return
    }
    appending = .allowed
    appending.refuse()
    guard case .refused = appending else {
      Issue.record("sets go to a journal that must not have them: \(appending)")
      return
    }
  }

  // S-17
  @Test func `an unsound record is damage within one start of the machine, and an end after it`() {
    #expect(Recovery.unsound(in: Self.thisBoot, now: Self.thisBoot) == .damage)
    #expect(Recovery.unsound(in: Self.otherBoot, now: Self.thisBoot) == .end)
  }

  // S-18
  @Test(arguments: [
    (true, true, true, Recovery.AfterRetirement.open), (true, false, false, .open),
    (false, true, true, .complete), (false, true, false, .wait),
    (false, false, true, .lost), (false, false, false, .lost),
  ])
  func `a retired journal is succeeded, waited for, completed or lost`(
    isNamed: Bool, hasName: Bool, mayMakeNext: Bool, expected: Recovery.AfterRetirement
  ) {
    let next = Recovery.afterRetirement(
      isSuccessorNamed: isNamed, hasName: hasName, mayMakeNext: mayMakeNext)
    #expect(next == expected)
  }

  // S-18, S-3
  @Test(arguments: [
    (
      Recovery.Next.continues(from: 5000, to: 4200), 5000 as Int?,
      Recovery.AfterOpening.follow(at: 4200)
    ),
    (.continues(from: 5000, to: 4200), 4800, .reload),
    (.continues(from: 5000, to: 4200), nil, .reload),
    (.inherits, 5000, .reload), (.foreign, 5000, .lost), (.nothing, 5000, .lost),
    (.unknown, 5000, .wait),
  ])
  func `the next journal is followed only from where all before is known`(
    next: Recovery.Next, known: Int?, expected: Recovery.AfterOpening
  ) {
    #expect(Recovery.afterOpening(next, known: known) == expected)
  }

  /// What was asked of the disk, and what came of it.
  private func afterLoss(
    mayHaveSet: Bool = true, isContinued: Bool = false, isEdited: Bool = false,
    hasOther: Bool = true
  ) -> (Recovery.AfterLoss, [String]) {
    var asked: [String] = []
    let next = Recovery.afterLoss(mayHaveSet: mayHaveSet) {
      asked.append("continued")
      return isContinued
    } isEdited: {
      asked.append("edited")
      return isEdited
    } hasOther: {
      asked.append("other")
      return hasOther
    }
    return (next, asked)
  }

  // S-3, S-8, S-10
  @Test func `what a lost journal held is brought over once, unless something newer is there`() {
    #expect(afterLoss() == (.bringOver, ["continued", "edited", "other"]))
    #expect(afterLoss(hasOther: false) == (.wait, ["continued", "edited", "other"]))
    #expect(afterLoss(isEdited: true) == (.reload, ["continued", "edited"]))
    #expect(afterLoss(isContinued: true) == (.open, ["continued"]))
    #expect(afterLoss(mayHaveSet: false) == (.reload, []))
  }
}
