import CStrata

/// The kinds of file system that directories are in, kept for a moment: several domains share a
/// directory, and the answer may have to come from a server.
final class KnownKinds: Sendable {
  static let ofProcess = KnownKinds()

  private let lock = Lock(.ways)
  // Safety: guarded by `lock`. An array: a dictionary has a process search all conformances.
  nonisolated(unsafe) private var known: [Known] = []

  private struct Known {
    let directory: String
    let kind: FileSystemKind
    let end: Int64
  }

  private static let duration: Int64 = 100_000_000
  private static let knownMax = 16

  func kind(of directory: String, _ find: (String) -> FileSystemKind) -> FileSystemKind {
    let now = strata_coarse_now()
    let seen = lock.withLock {
      known.removeAll { now >= $0.end }
      return known.first { Path.isSame($0.directory, directory) }
    }
    if let seen { return seen.kind }
    let kind = find(directory)
    lock.withLock {
      if known.count >= Self.knownMax { known.removeFirst() }
      known.append(Known(directory: directory, kind: kind, end: now + Self.duration))
    }
    return kind
  }
}
