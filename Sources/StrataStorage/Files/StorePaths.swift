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
  public let plist: String
  /// Who the domain is for.
  public let audience: Audience

  package let directory: String
  let name: String
  /// The hidden directory with what makes the plist files safe and shared.
  package var hidden: String
  /// Where that is instead of in `directory`, if other machines may share the latter.
  var place: MachinePlace?

  /// The domain `identifier` in `directory`: the file `identifier.plist`.
  public init(identifier: String, in directory: String, for audience: Audience = .user) {
    self.init(plist: directory + "/" + identifier + ".plist", for: audience)
  }

  /// The domain whose property list is exactly this file; an absolute path.
  public init(plist path: String, for audience: Audience = .user) {
    directory = Path.directory(of: path)
    name = Path.name(of: path)
    plist = path
    hidden = Self.hidden(in: directory)
    self.audience = audience
  }

  /// Where it is unless other machines share the directory.
  static func hidden(in directory: String) -> String { Path.join(directory, ".strata") }
  var journalName: String { name + ".journal" }
  package var journal: String { hidden + "/" + journalName }
  /// What journals are called that are being made, without their numbers: to continue the one with
  /// this id, or to be the domain's first.
  func draftStem(continuing id: UInt64?) -> String {
    hidden + "/" + (id.map { "next-" + String($0, radix: 16) } ?? "first-" + nameSum)
  }
  /// The same of those that trade names with a damaged one, which then may lie there.
  var mendedStem: String { hidden + "/mended-" + nameSum }
  private var nameSum: String { String(checksum32([UInt8](name.utf8)), radix: 16) }
  /// On each process that writes here, the kernel keeps a lock on a byte of this file.
  /// They signal it when someone watches.
  var lockFile: String { hidden + "/" + Self.lockFileName }
  static let lockFileName = "holders"

  var fileMode: UInt32 { audience == .user ? 0o600 : 0o644 }
  var directoryMode: UInt32 { audience == .user ? 0o700 : 0o755 }
}

/// Equal by bytes, as the kernel tells files apart.
extension StorePaths {
  /// Whether both name one file.
  public static func == (left: StorePaths, right: StorePaths) -> Bool {
    Path.isSame(left.plist, right.plist) && left.audience == right.audience
  }

  /// Feeds the bytes of the path.
  public func hash(into hasher: inout Hasher) {
    for byte in plist.utf8 { hasher.combine(byte) }
  }
}
