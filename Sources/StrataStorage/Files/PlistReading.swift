import StrataPropertyList

/// What the first read found.
///
/// An object: for an optional value of many parts the runtime makes a type, in each process.
final class FirstReading: Sendable {
  let reading: PlistReading

  init(_ reading: consuming PlistReading) { self.reading = reading }
}

/// What was found in a plist file.
struct PlistReading: Sendable {
  /// The file's status, before and after its bytes were read; nil if there is no file.
  let status: FileStatus?
  let identity: PlistIdentity
  let content: Content
  /// The draft under whose name the file lies, if it has lost its own.
  var draft: PlistDraft.Number?

  enum Content: Sendable {
    case absent
    /// A file that we wrote, as we wrote it.
    case intact(CheckedPlist.Index)
    /// A file that another program wrote.
    case foreign([String: PropertyListValue], PropertyListFormat)
    /// A file that we wrote, whose bytes have changed since.
    case damaged(CheckedPlist.Salvage)
    /// No property list with a dictionary at its top.
    case malformed(String)
    /// What it holds is unknown; it is not known to be damaged, and nobody may write over it.
    case unreadable(StorageError)
  }

  /// Whether the content can be taken as the domain's, whoever wrote it.
  var isSound: Bool {
    switch content {
    case .absent, .intact, .foreign: true
    case .damaged, .malformed, .unreadable: false
    }
  }

  /// Why the content is unknown; nil when it is known.
  var obstacle: StorageError? {
    if case .unreadable(let error) = content { error } else { nil }
  }

  /// What the file says that it holds, if a checkpoint wrote it.
  var held: JournalKnowledge? {
    if case .intact(let index) = content { index.held } else { nil }
  }

  /// The format in which the next flush writes.
  var format: PropertyListFormat {
    guard case .foreign(_, let format) = content, format != .binary else { return .binary }
    return .xml
  }

  /// Every value that the file holds, or that could be salvaged from it.
  var values: [String: PropertyListValue] {
    switch content {
    case .intact(let index): Dictionary(index.entries(), uniquingKeysWith: { $1 })
    case .foreign(let values, _): values
    case .damaged(let salvage): Dictionary(salvage.entries, uniquingKeysWith: { $1 })
    case .absent, .malformed, .unreadable: [:]
    }
  }
}
