/// Decides what a plist file and a journal that are found together mean, and what to do with them.
/// Pure: each decision is a function of what was found, and the tests contain its table.
enum Recovery {
  /// How a plist file and a journal relate.
  enum Standing: Equatable, Sendable {
    /// The journal's records from this length on apply to the file's content.
    case adds(from: Int)
    /// Somebody else has written the file since: every record is older than it.
    case edited
  }

  /// Compares the file with the journal's base, the identity of the plist file that its records
  /// apply to, and with its intent, the identity of the file that a checkpoint announced:
  ///
  /// - `base`: the file is what the records apply to. All of them count.
  /// - `intent`: a checkpoint gave the file its name and died before it could replace the journal.
  ///   The records up to `covers` are in the file; if an edit was taken in before that, none are.
  /// - neither, and the file is damaged or no property list: nobody meant to write that. The
  ///   records are what is left, and applying one twice changes nothing.
  /// - neither, and the file says that it holds records of a lost journal, of which somebody has
  ///   brought to this one what it knew: a checkpoint that did not know of the loss has given the
  ///   file its name since. What was set here is added to it.
  /// - neither, and the file is sound: it is an edit.
  /// - neither, and the file is sound, but could not be read when the journal was begun: what was
  ///   set since then is newer than the file. So are the records from before that (`former`),
  ///   unless the file is an edit of the one that they were set on.
  static func standing(of plist: PlistReading, _ journal: JournalFacts) -> Standing {
    let (header, start) = (journal.header, JournalLayout.recordsStart)
    if plist.identity == header.base { return .adds(from: start) }
    if let intent = journal.intent, plist.identity == intent.identity {
      return .adds(from: intent.end)
    }
    if !plist.isSound { return .adds(from: start) }
    if let held = plist.held, let rescued = journal.rescued, held.isOfSameOrLater(rescued) {
      return .adds(from: start)
    }
    if header.base != .unknown { return .edited }
    return .adds(from: recordsBefore(plist, header)?.end ?? start)
  }

  /// The records that are older than a file that could not be read when the journal was begun.
  static func recordsBefore(_ plist: PlistReading, _ header: JournalHeader) -> FormerRecords? {
    guard header.base == .unknown, plist.isSound, plist.identity != header.former?.base else {
      return nil
    }
    return header.former
  }

  /// What an unsound record means in a journal that was last written in `boot`.
  static func unsound(in boot: BootID, now: BootID) -> JournalScan.Unsound {
    boot == now ? .damage : .end
  }

  // -- A plist file and a journal

  /// What matters of a journal that is found beside a plist file.
  struct JournalFacts: Sendable {
    let header: JournalHeader
    let isWritable: Bool
    var intent: CheckpointIntent?
    /// What was known by the last one that has brought something from a lost journal.
    var rescued: JournalKnowledge?
  }

  /// From which journal records are added to the file's content.
  enum Addition: Equatable, Sendable {
    /// From the journal as it is.
    case asItIs
    /// From a journal of this boot that takes its place, in which processes from before the restart
    /// have left no trace. The word may be older than what is durable: sound records past its
    /// length count, as long as each follows the one before.
    case ofThisBoot
    /// From a journal that is based on this file, and takes its place.
    case rebased
  }

  static func addition(
    to plist: PlistReading, _ journal: JournalFacts, boot: BootID
  ) -> Addition {
    if journal.header.boot != boot { return .ofThisBoot }
    return mustRebase(plist, journal) ? .rebased : .asItIs
  }

  /// Whether the journal needs a new base. Either its base may have been replaced by a file that
  /// can't be read: what is set from now on is newer than that file. Or the unreadable file can be
  /// read now: the next edit must be recognizable as one.
  static func mustRebase(_ plist: PlistReading, _ journal: JournalFacts) -> Bool {
    guard journal.isWritable else { return false }
    if plist.isSound { return isNew(plist, journal) }
    guard plist.obstacle != nil, journal.header.base != .unknown else { return false }
    // Without a status, too, it may be another file.
    return plist.status.map { !journal.header.isBaseContent($0) } ?? true
  }

  /// Whether what a file holds that is no edit is not known from the journal.
  static func isNew(_ plist: PlistReading, _ journal: JournalFacts) -> Bool {
    let base = journal.header.base
    // Without an array, whose type the runtime would have to make at each first read.
    let isAnnounced = journal.intent.map { $0.identity == plist.identity } ?? false
    return plist.isSound && (base == .unknown || plist.identity != base && !isAnnounced)
  }

  /// Whether the file is that of a lost journal's checkpoint, where it is no edit.
  static func isLate(_ plist: PlistReading, _ journal: JournalFacts) -> Bool {
    journal.header.base != .unknown && isNew(plist, journal)
  }

  // -- A journal that is retired

  /// What a process does once it knows all of a retired journal.
  enum AfterRetirement: Equatable, Sendable {
    /// It opens the successor.
    case open
    /// It goes on with what it knows until somebody names the successor.
    case wait
    /// It makes the successor: the process that should have done so is stopped or dead.
    case complete
    /// The journal has lost its name, and there is none that continues it.
    case lost
  }

  static func afterRetirement(
    isSuccessorNamed: Bool, hasName: Bool, mayMakeNext: Bool
  ) -> AfterRetirement {
    if isSuccessorNamed { return .open }
    if !hasName { return .lost }
    return mayMakeNext ? .complete : .wait
  }

  /// What was found where the successor should be.
  enum Next: Equatable, Sendable {
    /// It continues the retired one: whoever knows that up to `from` knows this one up to `to`.
    case continues(from: Int, to: Int)
    /// It holds what the retired one held, or what others have made of that.
    case inherits
    /// It has nothing to do with the retired one.
    case foreign
    case nothing
    /// It can't be opened now.
    case unknown
  }

  enum AfterOpening: Equatable, Sendable {
    /// Follow it from this length on: everything before is known.
    case follow(at: Int)
    /// Read its values.
    case reload
    /// Go on with what is known until it can be opened.
    case wait
    case lost
  }

  /// - Parameter known: how much of the retired one is known; nil if the content of its base, or
  ///   of one of its records, is not.
  static func afterOpening(_ next: Next, known: Int?) -> AfterOpening {
    switch next {
    case .continues(let start, let end): start == known ? .follow(at: end) : .reload
    case .inherits: .reload
    case .foreign, .nothing: .lost
    case .unknown: .wait
    }
  }

  // -- A journal that is lost

  /// What a process does when its journal was cut off, overwritten or removed while in use.
  enum AfterLoss: Equatable, Sendable {
    /// Read the journal that continues it, from which nothing is missing.
    case open
    /// Read the files, whatever they are: an edit is newer than everything that was in the journal,
    /// and who has only ever read has nothing to bring.
    case reload
    /// Put what is known into the journal that is in its place.
    case bringOver
    /// Keep what is known, and bring it over later, since no journal can be had. If it were simply
    /// set again then, it would be newer than what others set meanwhile.
    case wait
  }

  /// Whether somebody has edited the file since the journal was lost, with all that it said of
  /// checkpoints: a file says itself of which journal it holds records.
  static func isEdited(_ plist: PlistReading, sinceLossOf journal: JournalFacts) -> Bool {
    guard standing(of: plist, journal) == .edited else { return false }
    return plist.held?.isOfSameOrLater(JournalKnowledge(of: journal.header, upTo: 0)) != true
  }

  /// Asks for the facts in this order, since each is a look at the disk.
  static func afterLoss(
    mayHaveSet: Bool, isContinued: () -> Bool, isEdited: () -> Bool, hasOther: () -> Bool
  ) -> AfterLoss {
    if !mayHaveSet { return .reload }
    if isContinued() { return .open }
    if isEdited() { return .reload }
    return hasOther() ? .bringOver : .wait
  }
}

extension Journal {
  var facts: Recovery.JournalFacts {
    Recovery.JournalFacts(
      header: header, isWritable: isWritable, intent: intent,
      rescued: replacesDestroyed ? rescue?.knowledge : nil)
  }
}
