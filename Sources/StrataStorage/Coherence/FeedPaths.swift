/// What the kernel watches for one feed: the directories that are subscribed to, and each step of
/// the way to them. Guarded by the feed's lock.
///
/// The kernel does not report to a directory's watch that one above it was moved away. So each
/// directory and link on the way is watched for the loss of its name; and where something is
/// missing, or its name has to be watched from outside (see `expect`), the directory around it is.
struct FeedPaths {
  private let disk: any FileSystem
  private let file: FileID
  // Arrays: see `FeedSubscriptions`.
  private var steps: [Step] = []
  private var directories: [Listening] = []
  /// Paths that the directory around them is watched for: to be made, removed or moved.
  private var expected: [Listening] = []
  /// Whether a path may lead elsewhere by now: then these watches mean nothing any more.
  private(set) var isLost = false

  private struct Listening {
    let path: String
    let watch: Int32
    let interest: FileInterest
  }

  /// A directory or link on the way to what is subscribed to.
  private struct Step {
    let path: String
    let standing: Standing
  }

  enum Standing {
    /// The kernel reports when it loses its name.
    case there(watch: Int32)
    /// It, or one above it, is missing; the kernel reports when it is made.
    case missing
    /// This user may not watch it.
    case unheard
  }

  init(_ file: FileID, on disk: any FileSystem) {
    self.file = file
    self.disk = disk
  }

  mutating func lose() { isLost = true }

  /// Whether the event means that a path may lead elsewhere by now.
  func isLoss(_ event: FileEvent) -> Bool {
    switch event.kind {
    case .change: false
    case .name:
      expected.contains {
        $0.watch == event.watch && Path.isSame(Path.name(of: $0.path), event.name)
      }
    case .gone: isWatched(event.watch)
    case .overflow: true
    }
  }

  private func isWatched(_ watch: Int32) -> Bool {
    directories.contains { $0.watch == watch } || expected.contains { $0.watch == watch }
      || steps.contains { if case .there(watch) = $0.standing { true } else { false } }
  }

  /// Watches what happens in a directory.
  mutating func watch(
    _ directory: String, for interest: FileInterest
  ) throws(StorageError) -> Int32 {
    let known = directories.first { $0.interest == interest && Path.isSame($0.path, directory) }
    if let known { return known.watch }
    let watch = try disk.watch(directory, for: interest, with: file)
    directories.append(Listening(path: directory, watch: watch, interest: interest))
    return watch
  }

  /// Watches each step of the way to a directory or link, from the root down, so that whatever is
  /// exchanged meanwhile is reported.
  mutating func enter(_ path: String, links: Int = 0) throws(StorageError) -> Standing {
    if let known = steps.first(where: { Path.isSame($0.path, path) }) { return known.standing }
    if Path.isTop(path) || links > Path.linksMax { return .unheard }
    if case .missing = try enter(Path.directory(of: path), links: links) { return .missing }
    let standing: Standing
    do throws(StorageError) {
      standing = try step(to: path, links)
    } catch {
      if error.isOfMoment { throw error }  // that may be over at the next call
      standing = .unheard
    }
    steps.append(Step(path: path, standing: standing))
    return standing
  }

  /// Watches a link and the way to it. What it leads to is reported by that file's own directory.
  mutating func enter(link: String) throws(StorageError) {
    if steps.contains(where: { Path.isSame($0.path, link) }) { return }
    _ = try enter(Path.directory(of: link))
    do throws(StorageError) {
      guard let watch = try watchItself(link) else { return lose() }
      steps.append(Step(path: link, standing: .there(watch: watch)))
    } catch {
      if error.isOfMoment { throw error }
      steps.append(Step(path: link, standing: .unheard))
    }
  }

  private mutating func step(to path: String, _ links: Int) throws(StorageError) -> Standing {
    do throws(StorageError) {
      return .there(watch: try disk.watch(path, for: .directory, with: file))
    } catch {
      if !error.isOfMissing { throw error }
    }
    // A link, a file, or nothing.
    guard let watch = try watchItself(path) else {
      try expect(path, nil)
      return .missing
    }
    if let target = try disk.destination(of: path),
      case .missing = try enter(target, links: links + 1)
    {
      return .missing
    }
    return .there(watch: watch)
  }

  /// Nil if there is nothing at the path.
  private func watchItself(_ path: String) throws(StorageError) -> Int32? {
    do throws(StorageError) {
      return try disk.watch(path, for: .itself, with: file)
    } catch {
      if error.isOfMissing { return nil }
      throw error
    }
  }

  /// Watches the directory around for this name to be made, removed or moved.
  /// - Parameter known: the watch of what had the name; if something else has it now, the feed is
  ///   lost.
  mutating func expect(_ path: String, _ known: Int32?) throws(StorageError) {
    if expected.contains(where: { Path.isSame($0.path, path) }) { return }
    let around: Int32
    do throws(StorageError) {
      around = try disk.watch(Path.directory(of: path), for: .names, with: file)
    } catch {
      // A file is where that directory should be, and is watched itself.
      if error.isOfMissing { return }
      throw error
    }
    if try watchItself(path) != known { lose() }
    expected.append(Listening(path: path, watch: around, interest: .names))
  }

  /// The same for each step of the way to a path.
  mutating func expectAll(above path: String) throws(StorageError) {
    for step in steps where path.utf8.starts(with: (step.path + "/").utf8) {
      if case .there(let watch) = step.standing { try expect(step.path, watch) }
    }
  }
}
