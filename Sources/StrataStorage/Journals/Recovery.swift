/// What files that are found together mean, and what is to be done with them. Pure: each decision
/// is a function of what was found, and its table is in the tests.
enum Recovery {
  /// How a plist file and a journal belong together.
  enum Standing: Hashable, Sendable {
    /// The journal's records from there on are to be added to the file's content.
    case adds(from: Int)
    /// The file was written by someone else since: every record is older than it.
    case edited
  }

  /// - `base`: the file is what the journal stands on. All records count.
  /// - `intent`: a checkpoint gave the file its name and died before it could replace the journal.
  ///   The records up to `covers` are in the file; if an edit was imported before that, none are.
  /// - neither, but the file is damaged or no property list: nobody meant that. The records are
  ///   what is left, and adding one twice changes nothing.
  /// - neither, and the journal began on a file that could not be read: whether that one was edited
  ///   since, nobody knows. The records count, since they are all that is left of their sets.
  /// - neither, and sound: an edit.
  static func standing(
    of plist: PlistReading, base: PlistIdentity, intent: CheckpointIntent?
  ) -> Standing {
    if plist.identity == base { return .adds(from: JournalLayout.recordsStart) }
    if let intent, plist.identity == intent.identity { return .adds(from: intent.end) }
    return plist.isSound && base != .unknown ? .edited : .adds(from: JournalLayout.recordsStart)
  }

  /// What an unsound record means in a journal that was last written in `boot`.
  static func unsound(in boot: BootID, now: BootID) -> JournalScan.Unsound {
    boot == now ? .damage : .end
  }

  // -- A plist file and a journal

  /// What counts of a journal beside a plist file.
  struct JournalFacts: Sendable {
    let header: JournalHeader
    let isWritable: Bool
  }

  /// How records are added to a file's content.
  enum Addition: Hashable, Sendable {
    /// From the journal as it is.
    case asItIs
    /// From one of this start of the machine, which takes its place and knows of nobody who was
    /// there before it. What was made durable may not include the word: sound records behind it
    /// count, as far as each follows the one before.
    case renewed
    /// From one that stands on this file, and takes its place.
    case rebased
  }

  static func addition(
    to plist: PlistReading, _ journal: JournalFacts, boot: BootID
  ) -> Addition {
    if journal.header.boot != boot { return .renewed }
    return mustRebase(plist, journal) ? .rebased : .asItIs
  }

  /// Whether the journal needs a new base. Either the base was replaced by a file that can't be
  /// read: what is set from now on is newer than that file. Or the unreadable file has become
  /// readable: the next edit must be recognizable.
  static func mustRebase(_ plist: PlistReading, _ journal: JournalFacts) -> Bool {
    guard journal.isWritable else { return false }
    if plist.isSound { return journal.header.base == .unknown }
    guard plist.obstacle != nil, journal.header.base != .unknown, let status = plist.status
    else { return false }
    return !journal.header.isBaseContent(status)
  }

  // -- A journal that is retired

  /// What a process does that has all of a retired journal.
  enum AfterRetirement: Hashable, Sendable {
    /// The journal that comes next is to be opened.
    case open
    /// What is known is all there is until somebody names the next.
    case wait
    /// This process makes the next: whoever should have done it is stopped or dead.
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

  /// What was found where the journal that comes next should be.
  enum Next: Hashable, Sendable {
    /// It continues the retired one, from where all of that is known to where it has all of it.
    case continues(from: Int, to: Int)
    /// It holds what the retired one held, or what others made of that.
    case inherits
    /// It has nothing to do with the retired one.
    case foreign
    case nothing
    /// It can't be opened now.
    case unknown
  }

  enum AfterOpening: Hashable, Sendable {
    /// It is followed from there on: all before is known.
    case follow(at: Int)
    /// Its values are to be read.
    case reload
    /// What is known is all there is, as long as it can't be opened.
    case wait
    case lost
  }

  /// - Parameter known: how much of the retired one is known; nil where what it is added to is not.
  static func afterOpening(_ next: Next, known: Int?) -> AfterOpening {
    switch next {
    case .continues(let start, let end): start == known ? .follow(at: end) : .reload
    case .inherits: .reload
    case .foreign, .nothing: .lost
    case .unknown: .wait
    }
  }

  // -- A journal that is lost

  /// What a process does whose journal was cut off, overwritten or removed while it was in use.
  enum AfterLoss: Hashable, Sendable {
    /// Nothing is missing from what is there.
    case reload
    /// An edit is newer than all that was in it.
    case reloadEdit
    /// What is known goes into the journal that is in its place.
    case bringOver
    /// No journal can be had: what is known stays as it is, and is brought over later. Were it set
    /// anew then, it would be newer than what others set meanwhile.
    case wait
  }

  /// The facts are asked for in this order, since each is a look at the disk.
  static func afterLoss(
    isWritable: Bool, isContinued: () -> Bool, isEdited: () -> Bool, hasOther: () -> Bool
  ) -> AfterLoss {
    if !isWritable || isContinued() { return .reload }
    if isEdited() { return .reloadEdit }
    return hasOther() ? .bringOver : .wait
  }
}

extension Journal {
  var facts: Recovery.JournalFacts {
    Recovery.JournalFacts(header: header, isWritable: isWritable)
  }
}
