import CStrata
import StrataSystem

/// Where paths lead. In directories of others no link is followed, since whoever may put one there
/// could make this process read, write or give away what that user may not.
///
/// A symbolic link is followed if it and the directory that it lies in belong to this user or to
/// root. Where others could exchange a step of the path between a look and its use, each step is
/// opened from the one before it, and the operation is done from the last.
extension SystemFileSystem {
  /// A name in a directory.
  struct Spot {
    /// Open for the duration of the call, or the working directory.
    let directory: Int32
    /// The name in that directory, or the whole path where it can be used as it is.
    let name: String
    let path: String
    /// The directory's status, if others have a say in it.
    let around: stat?

    // The text itself, of which a parameter would make an array.
    func open(_ flags: Int32, mode: UInt32 = 0) -> Int32 {
      name.withCString { strata_open_at(directory, $0, flags, mode) }
    }
  }

  /// Runs `body` on what `path` names.
  func at<Result>(
    _ path: String, _ body: (Spot) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let around = PathTrust.ofProcess.standing(around: path, for: user)
    if Path.isTop(path) || !around.isShared {
      return try body(Spot(directory: AT_FDCWD, name: path, path: path, around: nil))
    }
    let directory = Path.directory(of: path)
    let file = try openDirectory(directory)
    defer { _ = StrataSystem.close(file) }
    var raw = stat()
    guard fstat(file, &raw) == 0 else { throw failure(.status, directory) }
    return try body(Spot(directory: file, name: Path.name(of: path), path: path, around: raw))
  }

  @inline(never)
  private func isShared(_ directory: String) -> Bool {
    PathTrust.ofProcess.standing(of: directory, for: user).isShared
  }

  /// The target of a link as a path, whoever made the link; nil if there is no link.
  package static func linkTarget(of path: String) -> String? {
    linkTarget(AT_FDCWD, path).map { absolute($0, besides: path) }
  }

  static func absolute(_ target: String, besides path: String) -> String {
    target.utf8.first == UInt8(ascii: "/") ? target : Path.join(Path.directory(of: path), target)
  }

  /// The target of the link that `path` names; nil if it is not, or no more, the name of a link.
  static func target(
    ofLink name: String, in directory: Int32, path: String
  ) throws(StorageError) -> String? {
    if let target = linkTarget(directory, name) { return absolute(target, besides: path) }
    if errno == EINVAL || isMissing(errno) { return nil }
    throw StorageError(.open, path, code: errno)
  }

  /// The same as it is written there; nil with `errno` for why it can't be read.
  private static func linkTarget(_ directory: Int32, _ name: String) -> String? {
    name.withCString { name in
      // On the stack, if it is no longer than most.
      if let target = linkTarget(directory, name, shorterThan: 512) { return target }
      guard errno == ENAMETOOLONG else { return nil }
      return linkTarget(directory, name, shorterThan: Int(PATH_MAX) + 1)
    }
  }

  // Safety: the target is written into the buffer, whose length is passed along.
  private static func linkTarget(
    _ directory: Int32, _ name: UnsafePointer<CChar>, shorterThan size: Int
  ) -> String? {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: size) { buffer in
      let count = buffer.withMemoryRebound(to: CChar.self) { text in
        text.baseAddress.map { readlinkat(directory, name, $0, size) } ?? 0
      }
      if count >= size { errno = ENAMETOOLONG }
      guard count > 0, count < size else { return nil }
      return String(ofBytes: UnsafeBufferPointer(rebasing: UnsafeBufferPointer(buffer)[..<count]))
    }
  }

  /// Whether a link is one of the kernel's to open files, whose targets are no paths.
  func isOfKernel(_ link: String) -> Bool {
    let directory = Path.directory(of: link)
    return strata_is_of_processes(directory) != 0 && !isShared(directory)
  }

  /// Why a link is not followed.
  func refusal(
    _ operation: StorageError.Operation, _ path: String, linkOf owner: UInt32
  ) -> StorageError {
    StorageError(
      operation, path,
      reason:
        "it is, or its path contains, a link owned by user \(owner) or in another user's "
        + "directory; replace the link with its target")
  }

  func trusts(_ owner: UInt32) -> Bool { PathTrust.ofProcess.trusts(owner, for: user) }

  // -- Step by step

  /// Opens a directory only as a place to start from (`O_PATH`).
  private func openDirectory(_ path: String) throws(StorageError) -> Int32 {
    // For root, the owners of the steps matter, too, so it always walks.
    if user != 0 {
      let file = strata_open_directory_without_links(path)
      if file >= 0 { return file }
      if errno != ELOOP { throw failure(.open, path) }
    }
    return try walk(path)
  }

  private struct Step {
    var file: Int32
    var status = stat()
    /// The owner of the directories on the path, if not this user or root.
    var owner: UInt32?
  }

  private func walk(_ path: String) throws(StorageError) -> Int32 {
    var rest = Self.names(path)
    var start = path.utf8.first == UInt8(ascii: "/") ? "/" : "."
    // What nobody else can exchange needs no second look.
    while let name = rest.last, !isShared(Path.join(start, name)) {
      start = Path.join(start, name)
      rest.removeLast()
    }
    var here = try begin(start)
    var links = 0
    do throws(StorageError) {
      while let name = rest.popLast() {
        var next = Step(file: strata_open_at(here.file, name, Self.placeOnly, 0), owner: here.owner)
        guard next.file >= 0 else { throw failure(.open, path) }
        do throws(StorageError) {
          guard fstat(next.file, &next.status) == 0 else { throw failure(.status, path) }
          if let target = try target(of: next, in: here, path) {
            links += 1
            if links > Path.linksMax { throw StorageError(.open, path, code: ELOOP) }
            rest += Self.names(target)
            _ = StrataSystem.close(next.file)
            next = here
            if target.utf8.first == UInt8(ascii: "/") {
              next = try begin("/")
              _ = StrataSystem.close(here.file)
            }
          } else {
            try enter(&next, path)
            _ = StrataSystem.close(here.file)
          }
        } catch {
          if next.file != here.file { _ = StrataSystem.close(next.file) }
          throw error
        }
        here = next
      }
      return here.file
    } catch {
      _ = StrataSystem.close(here.file)
      throw error
    }
  }

  static let placeOnly = strata_path_flag() | O_NOFOLLOW

  /// The names in a path, the last one first.
  private static func names(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(Substring($0)) }
      .filter { $0 != "." }
  }

  private func begin(_ path: String) throws(StorageError) -> Step {
    var step = Step(file: strata_open(path, strata_path_flag() | O_DIRECTORY, 0))
    guard step.file >= 0 else { throw failure(.open, path) }
    guard fstat(step.file, &step.status) == 0 else {
      _ = StrataSystem.close(step.file)
      throw failure(.status, path)
    }
    if !trusts(step.status.st_uid) { step.owner = step.status.st_uid }
    return step
  }

  /// Where a step leads if it is a link; nil if it is none.
  private func target(
    of step: Step, in directory: Step, _ path: String
  ) throws(StorageError) -> String? {
    guard step.status.isLink else { return nil }
    guard trusts(step.status.st_uid), trusts(directory.status.st_uid) else {
      throw refusal(.open, path, linkOf: step.status.st_uid)
    }
    guard let target = Self.linkTarget(step.file, "") else { throw failure(.open, path) }
    return target
  }

  /// Below another user's directory, root enters that user's directories only: that user could have
  /// moved one of root's own there.
  private func enter(_ step: inout Step, _ path: String) throws(StorageError) {
    guard step.status.isDirectory else {
      throw StorageError(.open, path, code: ENOTDIR)
    }
    if let owner = step.owner, user == 0, owner != step.status.st_uid {
      throw StorageError(
        .open, path,
        reason: "a directory of user \(step.status.st_uid) is on the way to it, inside one of user "
          + "\(owner); run chown on the one that is wrong")
    }
    if !trusts(step.status.st_uid) { step.owner = step.status.st_uid }
  }
}

extension PathTrust.Standing {
  /// Whether what is in the directory must be looked at each time.
  var isShared: Bool { self == .shared || self == .sticky }
}
