import CStrata
import StrataSystem

/// What this process knows of the paths to directories: whether only its user and root can make a
/// path lead elsewhere.
///
/// If so, a path can be used as it is, with one call. Anywhere else, what a path leads to is found
/// step by step: see `SystemFileSystem.at`.
final class PathTrust: Sendable {
  enum Standing: Sendable {
    /// Nobody else can exchange the directory, or add, remove or rename what is in it.
    case safe
    /// Nobody else can exchange the directory, or what belongs to this user or root in it.
    case sticky
    /// Others can have a say in where the path leads.
    case shared
    /// There is nothing, and nobody else can put anything there.
    case missing
  }

  static let ofProcess = PathTrust()

  private let lock = Lock(.ways)
  // Safety: guarded by `lock`.
  nonisolated(unsafe) private var latest: Known?
  nonisolated(unsafe) private var count = 0

  // A chain, as of `KnownKinds`.
  private final class Known: Sendable {
    let path: String
    let user: UInt32
    let standing: Standing
    let end: Int64
    let earlier: Known?

    init(
      _ path: String, _ user: UInt32, _ standing: Standing, until end: Int64, after earlier: Known?
    ) {
      (self.path, self.user, self.standing, self.end) = (path, user, standing, end)
      self.earlier = earlier
    }
  }

  /// Whoever may change a path may do so while programs run: a look counts for so long.
  private static let duration: Int64 = 1_000_000_000
  private static let knownMax = 128

  /// The standing of the directory `path` for `user`.
  func standing(of path: String, for user: UInt32) -> Standing {
    find(path, user, now: strata_coarse_now(), links: 0)
  }

  /// The standing of the directory in which `path` names something.
  func standing(around path: String, for user: UInt32) -> Standing {
    find(around: path, user, now: strata_coarse_now(), links: 0)
  }

  /// Whether `user` can rely on `owner`. The owner of the root directory rules all others, and
  /// stands for root where a container knows root by another number.
  func trusts(_ owner: UInt32, for user: UInt32) -> Bool {
    owner == user || owner == 0 || owner == Self.ownerOfRoot
  }

  private static let ownerOfRoot: UInt32 = {
    var raw = stat()
    return lstat("/", &raw) == 0 ? raw.st_uid : 0
  }()

  // No path is made of one that is known.
  private func find(around path: String, _ user: UInt32, now: Int64, links: Int) -> Standing {
    seen(user, now) { Path.isDirectory($0, of: path) }
      ?? find(Path.directory(of: path), user, now: now, links: links)
  }

  private func seen(
    _ user: UInt32, _ now: Int64, _ isMeant: (_ path: String) -> Bool
  ) -> Standing? {
    lock.withLock {
      var next = latest
      while let known = next {
        if known.user == user, now < known.end, isMeant(known.path) { return known.standing }
        next = known.earlier
      }
      return nil
    }
  }

  private func find(_ path: String, _ user: UInt32, now: Int64, links: Int) -> Standing {
    if let seen = seen(user, now, { Path.isSame($0, path) }) { return seen }
    let standing = look(path, user, now: now, links: links)
    if standing == .missing { return standing }
    lock.withLock {
      if count == Self.knownMax { (latest, count) = (nil, 0) }
      latest = Known(path, user, standing, until: now + Self.duration, after: latest)
      count += 1
    }
    return standing
  }

  /// Looks from the root directory down, so that nobody else can exchange a step after the look.
  private func look(_ path: String, _ user: UInt32, now: Int64, links: Int) -> Standing {
    // Who may rename what is in the root directory chooses what programs and libraries run, too.
    if Path.isRoot(path) { return .safe }
    // The path of the working directory is not known.
    if Path.isWorkingDirectory(path) || links > Path.linksMax { return .shared }
    let around = find(around: path, user, now: now, links: links)
    if around == .shared || around == .missing { return around }
    var raw = stat()
    guard path.withCString({ lstat($0, &raw) }) == 0 else {
      let isMissing = SystemFileSystem.isMissing(errno) || errno == EACCES
      return around == .safe && isMissing ? .missing : .shared
    }
    guard trusts(raw.st_uid, for: user) else { return .shared }
    if raw.isLink {
      guard let target = SystemFileSystem.linkTarget(of: path) else { return .shared }
      return find(target, user, now: now, links: links + 1)
    }
    // No path leads through a file.
    guard raw.isDirectory else { return .missing }
    if raw.st_mode & 0o022 == 0 { return .safe }
    return raw.st_mode & 0o1000 != 0 ? .sticky : .shared
  }
}
