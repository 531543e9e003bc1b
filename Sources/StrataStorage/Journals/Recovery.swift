/// How a plist file and a journal that are found together belong together. Pure decisions.
enum Recovery {
  enum Standing: Hashable, Sendable {
    /// The journal's records from there on are to be added to the file's content.
    case adds(from: Int)
    /// The file was written by someone else since: every record is older than it.
    case edited
  }

  /// - `base`: the file is what the journal stands on. All records count.
  /// - `intent`: a checkpoint gave the file its name and died before it could replace the journal.
  ///   The records up to `covers` are in the file; none is if an edit was taken in before.
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
}
