/// Where one domain's files are, and who may read them.
public struct StorePaths: Hashable, Sendable {
  /// Who a domain is for.
  public enum Audience: Sendable {
    /// One user: nobody else may read it.
    case user
    /// Everybody: only its owner may write it.
    case everyone
  }

  /// The property list.
  public var plist: String { parts.plist }
  /// Who the domain is for.
  public var audience: Audience { parts.audience }

  package var directory: String { parts.directory }
  var name: String { parts.name }
  /// The hidden directory with what makes the plist files safe and shared.
  package var hidden: String { parts.hidden }
  package var journal: String { parts.journal }
  /// Where the hidden directory is, instead of in `directory`, if other machines may share that.
  var machinePlace: MachinePlace? { parts.machinePlace }

  // One object: paths are handed on often, and a copy of so many texts takes code of its own. It
  // keeps the journal's path as long as a store lives: for the first text of 64 bytes or more that
  // ends, the runtime makes a type, which takes a tenth of a first read.
  private let parts: Parts

  private final class Parts: Sendable {
    let plist: String
    let audience: Audience
    let directory: String
    let name: String
    let hidden: String
    let journal: String
    let machinePlace: MachinePlace?

    init(_ path: String, _ audience: Audience) {
      directory = Path.directory(of: path)
      name = Path.name(of: path)
      plist = path
      self.audience = audience
      hidden = StorePaths.hidden(in: directory)
      journal = StorePaths.journal(of: name, in: hidden)
      machinePlace = nil
    }

    init(_ parts: Parts, hidden: String, at place: MachinePlace) {
      (plist, audience) = (parts.plist, parts.audience)
      (directory, name) = (parts.directory, parts.name)
      self.hidden = hidden
      journal = StorePaths.journal(of: name, in: hidden)
      machinePlace = place
    }
  }

  /// The domain `identifier` in `directory`: the file `identifier.plist`.
  @inline(never)
  public init(identifier: String, in directory: String, for audience: Audience = .user) {
    self.init(plist: Path.concatenated(directory, "/", identifier, ".plist"), for: audience)
  }

  /// The domain whose property list is exactly this file; an absolute path.
  public init(plist path: String, for audience: Audience = .user) {
    parts = Parts(path, audience)
  }

  /// The same domain, with its hidden directory elsewhere.
  init(_ paths: StorePaths, hidden: String, at place: MachinePlace) {
    parts = Parts(paths.parts, hidden: hidden, at: place)
  }

  /// Where it is unless other machines share the directory.
  static func hidden(in directory: String) -> String { Path.join(directory, ".strata") }
  var journalName: String { Path.name(of: journal) }
  private static func journal(of name: String, in hidden: String) -> String {
    Path.concatenated(hidden, "/", name, ".journal")
  }
  /// What drafts of journals are called, without their numbers: to continue the journal with this
  /// id, or (nil) to be the domain's first.
  func draftStem(continuing id: UInt64?) -> String {
    hidden + "/" + (id.map { "next-" + String($0, radix: 16) } ?? "first-" + nameSum)
  }
  /// The same for drafts that exchange names with a damaged journal, which may then lie there.
  var mendedStem: String { hidden + "/mended-" + nameSum }
  private var nameSum: String { String(checksum32([UInt8](name.utf8)), radix: 16) }
  /// The file that holds the directory's epoch, whose further bytes processes lock to checkpoint or
  /// to replace a journal, and by which writers wake those who watch.
  var lockFile: String {
    @inline(never) get { Path.concatenated(hidden, "/", Self.lockFileName) }
  }
  static let lockFileName = "holders"
  /// The directory around the domain's own.
  var around: StorePaths { StorePaths(identifier: "", in: Path.directory(of: directory)) }

  var fileMode: UInt32 { audience == .user ? 0o600 : 0o644 }
  var directoryMode: UInt32 { audience == .user ? 0o700 : 0o755 }
}

/// Equality by bytes, as the kernel compares names.
extension StorePaths {
  /// Whether both name one file.
  public static func == (left: StorePaths, right: StorePaths) -> Bool {
    Path.isSame(left.plist, right.plist) && left.audience == right.audience
  }

  /// Hashes the bytes of the path.
  public func hash(into hasher: inout Hasher) {
    for byte in plist.utf8 { hasher.combine(byte) }
  }
}
