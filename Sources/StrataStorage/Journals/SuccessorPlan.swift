/// What a journal that takes another one's place begins with.
struct SuccessorPlan {
  var header: JournalHeader
  /// From where the old one's records are carried over; nil if none are.
  var start: Int?
  var announcement = Announcement.over
  /// What the new base holds of a lost journal, which is news to all who know the old one. What was
  /// brought from there is not carried over if it is in the file: it would only be older.
  var held: JournalKnowledge?
  /// Whether only the last value of each key is carried over.
  var compacts = false

  /// Whether the old one's records are the new one's first, each for itself.
  var keepsRecords: Bool { start == JournalLayout.recordsStart && !compacts }

  /// What the new one says of a checkpoint that was announced in the old one (its intent).
  enum Announcement {
    /// Nothing: it took place, or no longer can.
    case over
    /// It may still take place.
    case pending
    /// It may still take the name from the edited file that the new one is based on.
    case overtaken
  }
}

extension SuccessorPlan {
  /// The successor of a journal that is found beside this plist file. Makes the file durable.
  init(
    of old: Journal, on reading: PlistReading, _ names: JournalNames
  ) throws(StorageError) {
    header = try names.header(on: reading)
    switch Recovery.standing(of: reading, old.facts) {
    case .edited:
      announcement = .overtaken
    case .adds(let start):
      self.start = start
      // The announced file has its name, and must not be announced again: the next announcement
      // would replace that, and this file would pass for an edit.
      let isPromoted =
        reading.identity == old.intent?.identity && reading.identity != old.header.base
      if isPromoted { return }
      if Recovery.isLate(reading, old.facts) {
        note(late: reading)
        return
      }
      if reading.identity != old.header.base { header.base = old.header.base }
      announcement =
        Recovery.recordsBefore(reading, old.header) == nil ? .pending : .overtaken
    }
  }

  /// The new base is the file of a checkpoint of a lost journal, of which the old one has what
  /// somebody knew.
  mutating func note(late reading: PlistReading) {
    announcement = .overtaken
    held = reading.held
  }

  /// A smaller journal with the same base, the plist file that its records apply to.
  init(compacting old: Journal, boot: BootID) {
    header = JournalHeader(on: old.header.base, nil, boot: boot)
    header.baseNumber = old.header.baseNumber
    header.baseModified = old.header.baseModified
    header.baseChanged = old.header.baseChanged
    start = JournalLayout.recordsStart
    announcement = .pending
    compacts = true
  }
}
