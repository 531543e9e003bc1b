import CStrata

/// The kinds of file system that directories are in, kept for a moment: several domains share a
/// directory, and the answer may have to come from a server.
final class KnownKinds: Sendable {
  static let ofProcess = KnownKinds()

  private let lock = Lock(.ways)
  // Safety: guarded by `lock`. An array of objects: any other has the runtime make a type.
  nonisolated(unsafe) private var known: [Known] = []

  private final class Known {
    let directory: String
    let kind: FileSystemKind
    let end: Int64

    init(_ directory: String, _ kind: FileSystemKind, until end: Int64) {
      (self.directory, self.kind, self.end) = (directory, kind, end)
    }
  }

  private static let duration: Int64 = 100_000_000
  private static let knownMax = 16

  func kind(of directory: String, _ find: (String) -> FileSystemKind) -> FileSystemKind {
    let now = strata_coarse_now()
    let seen = lock.withLock {
      known.first { now < $0.end && Path.isSame($0.directory, directory) }
    }
    if let seen { return seen.kind }
    let kind = find(directory)
    lock.withLock {
      if known.count >= Self.knownMax { known.removeAll { now >= $0.end } }
      if known.count >= Self.knownMax { known.removeFirst() }
      known.append(Known(directory, kind, until: now + Self.duration))
    }
    return kind
  }
}
