/// New content for a property list, durable in a file beside it, that waits for the list's name.
struct PlistDraft: Sendable {
  let path: String
  /// The file that it will replace, with links followed.
  let target: String
  let number: Number
  let identity: PlistIdentity
  let status: FileStatus

  /// Distinguishes a draft from all others of its file, earlier or later: what is found under a
  /// draft's name has been there for that draft only. A file system may bring a name back after a
  /// power cut (see `FaultMachine`), and an edit that lost its name to a draft is looked for under
  /// that draft's name.
  struct Number: Equatable, Sendable {
    let rawValue: UInt32

    /// No draft has been begun since the last one took the file's name.
    static let none = Number(rawValue: 0)
    /// It is not known which drafts have been begun.
    static let unknown = Number(rawValue: .max)

    static func random() -> Number { Number(rawValue: .random(in: 1 ..< .max)) }
  }
}

/// Where drafts lie.
extension PlistFile {
  /// In the directory of the file, which may be the only one on its file system.
  func draftPath(_ number: PlistDraft.Number, of target: String) -> String {
    Path.join(
      Path.directory(of: target),
      draftStem + String(number.rawValue, radix: 16) + Self.draftSuffix)
  }

  private var draftStem: String {
    ".strata-" + String(checksum32([UInt8](Path.name(of: path).utf8)), radix: 16) + "-"
  }

  private static let draftSuffix = ".new"

  /// The drafts that lie there; none if the file is reached by a link or shared with other
  /// machines, where its drafts can't be told from those of others.
  func drafts() throws(StorageError) -> [String] {
    guard machinePlace == nil, try target() == path else { return [] }
    let directory = Path.directory(of: path)
    return try disk.names(in: directory)
      .filter { $0.hasPrefix(draftStem) && $0.hasSuffix(Self.draftSuffix) }
      .map { Path.join(directory, $0) }
  }

  /// Removes drafts of processes that died. The right to write the file must be held.
  func sweepDrafts(_ last: PlistDraft.Number) throws(StorageError) {
    switch last {
    case .none: return
    case .unknown:
      for path in try drafts() { try disk.remove(path) }
    default:
      try disk.remove(draftPath(last, of: try target()))
    }
  }
}
