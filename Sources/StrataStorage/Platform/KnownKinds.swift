import CStrata

/// The kinds of file system that directories are in, kept for a moment: several domains share a
/// directory, and the answer may have to come from a server.
final class KnownKinds: Sendable {
  static let ofProcess = KnownKinds()

  private let lock = Lock(.ways)
  // Safety: guarded by `lock`.
  nonisolated(unsafe) private var latest: Known?
  nonisolated(unsafe) private var count = 0

  // A chain, since the first array of a process has the runtime fetch code and make types, which
  // takes twice as long as the kernel's answer.
  private final class Known {
    let directory: String
    let kind: FileSystemKind
    let end: Int64
    let earlier: Known?

    init(_ directory: String, _ kind: FileSystemKind, until end: Int64, after earlier: Known?) {
      (self.directory, self.kind, self.end) = (directory, kind, end)
      self.earlier = earlier
    }
  }

  private static let duration: Int64 = 100_000_000
  private static let knownMax = 16

  func kind(of directory: String, _ find: (String) -> FileSystemKind) -> FileSystemKind {
    let now = strata_coarse_now()
    if let kind = lock.withLock({ seen(directory, now) }) { return kind }
    let kind = find(directory)
    lock.withLock {
      if count == Self.knownMax { (latest, count) = (nil, 0) }
      latest = Known(directory, kind, until: now + Self.duration, after: latest)
      count += 1
    }
    return kind
  }

  private func seen(_ directory: String, _ now: Int64) -> FileSystemKind? {
    var next = latest
    while let known = next {
      if now < known.end, Path.isSame(known.directory, directory) { return known.kind }
      next = known.earlier
    }
    return nil
  }
}
