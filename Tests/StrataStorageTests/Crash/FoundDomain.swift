import Glibc
import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// A domain as others leave it, and the store that uses it next.
struct FoundDomain {
  /// What was done to it last.
  enum Story: CaseIterable {
    /// There is not even a directory; a directory; a list that was put there; nothing but sets.
    case nothing, beside, foreign, set
    /// There is a list, and nothing or a set is pending.
    case flushed, pending
    /// The same, and the list was edited.
    case edited, editedInPlace, removed
    /// The list was edited while nothing was pending.
    case editedAtRest
    /// The same, it could not be read, and something was set, or so often that the journal is worth
    /// compacting; or the machine was started since.
    case unread, unreadGrown, unreadRestarted
    /// The same, and a process died within a checkpoint, or while it replaced the journal.
    case announced, retired
    /// The machine was started since.
    case restarted, restartedAnnounced
    /// A value in the list, or the journal's word, is damaged.
    case damaged, scrambled
    /// The journal is worth compacting.
    case grown
    /// Another process has set and flushed twice: who had it open before must read the list.
    case flushedByOther

    var hasList: Bool {
      switch self {
      case .nothing, .beside, .foreign, .set: false
      default: true
      }
    }
  }

  private(set) var machine = FaultMachine()
  private(set) var user: Store
  /// Another process, which had read everything before.
  private(set) var bystander: Store
  /// What it holds.
  private(set) var values: [String: PropertyListValue] = [:]

  static let paths = CrashScript.paths

  /// - Parameters:
  ///   - isKnown: whether the user has set all of it.
  ///   - isSearched: whether the list is one in which keys are searched for.
  ///   - listen: has the bystander listen, before the last thing is done.
  init(
    after story: Story, isKnown: Bool, isSearched: Bool = false, listen: (Store) -> Void = { _ in }
  ) throws {
    if isSearched { machine.searchSizeMin = 0 }
    (user, bystander) = Self.processes(on: machine)
    if story.hasList || story == .set {
      for key in ["a", "b", "c"] { try set(key, 1) }
    }
    if story.hasList {
      try #require(user.flush())
      if story != .flushed && story != .editedAtRest { try set("a", 2) }
      _ = bystander.snapshot()
    }
    listen(bystander)
    try tell(story)
    if !isKnown { user = machine.process().store(at: Self.paths) }
  }

  private mutating func tell(_ story: Story) throws {
    switch story {
    case .nothing, .set, .flushed, .pending: break
    case .beside:
      let other = StorePaths(identifier: "other", in: Self.paths.directory)
      try machine.process().store(at: other).set(.integer(1), forKey: "a")
    case .foreign, .edited, .editedAtRest:
      machine.makeParents(of: Self.paths.plist)
      machine.edit(Self.paths.plist, try list(as: .xml))
    case .editedInPlace: machine.editInPlace(Self.paths.plist, try list(as: .binary))
    case .unread: try setUnread()
    case .unreadGrown:
      machine.compactionSizeMin = 0
      try setUnread(times: 30)
    case .unreadRestarted:
      try setUnread()
      restart()
    case .removed:
      machine.remove(Self.paths.plist)
      values = [:]
    case .announced: try announce()
    case .retired:
      let journal = try #require(user.journal)
      try #require(journal.retire(at: journal.length))
    case .restarted: restart()
    case .restartedAnnounced:
      try announce()
      restart()
    case .damaged: machine.damage(Self.paths.plist, at: 8 + RecordPrefix.size + 1)
    case .scrambled: machine.damage(Self.paths.journal, at: JournalLayout.word)
    case .grown:
      machine.compactionSizeMin = 0
      for number in Int64(3)...30 { try set("a", number) }
    case .flushedByOther:
      let other = machine.process().store(at: Self.paths)
      for number in Int64(3)...4 {
        try other.set(.integer(number), forKey: "a")
        values["a"] = .integer(number)
        try #require(other.flush())
      }
    }
  }

  private static func processes(on machine: FaultMachine) -> (Store, Store) {
    (machine.process().store(at: paths), machine.process().store(at: paths))
  }

  private mutating func set(_ key: String, _ number: Int64) throws {
    try user.set(.integer(number), forKey: key)
    values[key] = .integer(number)
  }

  /// The list that somebody writes.
  private mutating func list(as format: PropertyListFormat) throws -> [UInt8] {
    values = ["b": .integer(3), "e": .integer(3)]
    return try PropertyList.encode(.dictionary(values), as: format)
  }

  /// Sets while an edited list can't be read.
  private mutating func setUnread(times: Int64 = 1) throws {
    machine.edit(Self.paths.plist, try list(as: .xml))
    machine.quietError = { call, _ in call == .read ? EIO : nil }
    for number in 1...times { try set("d", number) }
    machine.quietError = nil
    try #require(user.journal?.header.base == .unknown)
  }

  /// Has a checkpoint give its file the name, and get no further.
  private func announce() throws {
    let old = machine.names[Self.paths.plist]
    machine.error = { [machine] _, call, _ in
      machine.names[Self.paths.plist] !== old && call.hasPrefix("create") ? EIO : nil
    }
    try #require(user.checkpoint() == .done)
    machine.error = nil
    try #require(user.plistFile.read().identity == user.journal?.intent?.identity)
  }

  private mutating func restart() {
    machine = machine.afterRestart()
    (user, bystander) = Self.processes(on: machine)
  }
}
