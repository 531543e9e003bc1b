package import FleetModel
package import StrataDomains
import StrataPropertyList
package import StrataStorage

/// Brings the administrator's files to what they should be.
///
/// Each file is replaced whole. Its provenance marks it as the agent's: a file without it was made
/// by hand, and is left alone. So it is there before the first value, and until the last one is
/// gone, at whichever operation the agent dies. Whoever puts a file beside one edits the agent's.
package struct ManagedFileWriter: Sendable {
  private let places: Places
  private let trust: Trust
  private let disk: Disk

  package init(in places: Places, on disk: Disk = Disk()) {
    self.places = places
    self.disk = disk
    trust = Trust(in: places, on: disk)
  }

  /// What was done.
  package struct Outcome: Equatable, Sendable {
    /// The property lists that were written or removed.
    package var changed: [String] = []
    package var problems: [FleetProblem] = []
    /// The texts of the policies of which a property list does not have what they say.
    package var unwritten: Set<String> = []
    /// Whether nothing is left of an agent that died.
    package var isTidy = true
  }

  /// Writes the files that differ, and removes those of the agent that are not among them.
  ///
  /// - Parameters:
  ///   - earlier: says which values that an earlier run has written stay, even if the agent has
  ///     lost its state and the store its policies.
  ///   - isStart: whether to remove what an agent that died has left, too: only then, since an
  ///     administrator who writes a file at this moment would lose it.
  package func write(
    _ files: [ManagedFile], afterStart isStart: Bool = false, keeping earlier: EarlierValues
  ) -> Outcome {
    var outcome = Outcome()
    let found = FoundFiles(in: places, on: disk)
    outcome.problems += found.problems.map { FleetProblem($0.place, $0.error.description) }
    // First, since drafts take room on a disk that may be full.
    for draft in isStart ? found.drafts : [] {
      attempt(draft.paths, &outcome) { _ in
        try disk.remove(draft.path)
        return true
      }
    }
    outcome.isTidy = outcome.problems.isEmpty
    let wanted = Set(files.map(\.paths.plist))
    let others = found.marked + (isStart ? found.empty : [])
    let ended = others.filter { !wanted.contains($0.plist) }.map { ManagedFile($0, [:]) }
    for file in files + ended {
      let isWritten = attempt(file.paths, &outcome) { try bring(file, earlier, &$0) }
      if !isWritten { outcome.unwritten.formUnion(policies(of: file)) }
    }
    return outcome
  }

  /// Those that decide the values of a file, or did when it was written.
  private func policies(of file: ManagedFile) -> Set<String> {
    var old: [String: Provenance.Entry] = [:]
    do throws(StorageError) {
      old = try Provenance.read(besidePlist: file.paths.plist, on: disk)?.entries ?? [:]
    } catch {
      // What it had is not known; that it can't be read is a problem already.
    }
    return Set((Array(file.entries.values) + Array(old.values)).map(\.policy))
  }

  /// Does something to a file, where nobody else could have written it.
  ///
  /// - Returns: whether it is done.
  @discardableResult
  private func attempt(
    _ paths: StorePaths, _ outcome: inout Outcome, _ body: (inout Outcome) throws -> Bool
  ) -> Bool {
    do {
      if let distrust = trust.distrust(of: paths) {
        outcome.problems.append(FleetProblem(paths.plist, distrust.description))
        return false
      }
      return try body(&outcome)
    } catch {
      outcome.problems.append(FleetProblem(paths.plist, "\(error)"))
      return false
    }
  }

  /// - Returns: whether it is what it should be.
  private func bring(
    _ file: ManagedFile, _ earlier: EarlierValues, _ outcome: inout Outcome
  ) throws -> Bool {
    let mark = whole(Provenance.path(besidePlist: file.paths.plist))
    if try isByHand(file.paths.plist, mark) {
      if file.entries.isEmpty {
        try mark.remove()
        return true
      }
      outcome.problems.append(
        FleetProblem(
          file.paths.plist,
          "it was not written by the agent, and stays as it is; remove it to have the policy's "
            + "values"))
      return false
    }
    let old = try Provenance.read(besidePlist: file.paths.plist, on: disk)?.entries ?? [:]
    if let obstacle = earlier.obstacle(from: old, to: file.entries) {
      outcome.problems.append(FleetProblem(file.paths.plist, obstacle))
      return false
    }
    let kept = old.filter { file.entries[$0.key] == nil && !earlier.mayEnd($0.value) }
    for policy in Set(kept.values.map(\.policy)).sorted() {
      outcome.problems.append(
        FleetProblem(
          file.paths.plist, "\(policy) is not in the store; what it said stays in force"))
    }
    let whole = ManagedFile(file.paths, file.entries.merging(kept) { $1 })
    if try whole.entries.isEmpty ? remove(whole, mark) : replace(whole, mark) {
      outcome.changed.append(file.paths.plist)
    }
    return true
  }

  /// Empty files do not count: a power cut may bring the names of removed ones back.
  private func isByHand(_ plist: String, _ mark: WholeFile) throws(StorageError) -> Bool {
    if let status = try mark.status(), status.size > 0 { return false }
    guard let status = try whole(plist).status() else { return false }
    return status.size > 0
  }

  private func remove(_ file: ManagedFile, _ mark: WholeFile) throws(StorageError) -> Bool {
    let plist = whole(file.paths.plist)
    let wasThere = try plist.status() != nil
    try plist.remove()
    // Durability: values without it would be taken for an administrator's, and stay for ever.
    try mark.remove()
    return wasThere
  }

  private func replace(_ file: ManagedFile, _ mark: WholeFile) throws -> Bool {
    // Equal values have equal bytes.
    let values = try PropertyList.encode(
      .dictionary(file.entries.mapValues(\.value)), as: .binary)
    let provenance = try PropertyList.encode(Provenance(file.entries).encoded, as: .binary)
    let plist = whole(file.paths.plist)
    let isNew = (try mark.read() != provenance, try plist.read() != values)
    guard isNew.0 || isNew.1 else { return false }
    try makeDirectory(Path.directory(of: plist.path))
    // Durability: with the provenance there, a restart knows that the file is the agent's.
    if isNew.0 { try mark.replace(by: provenance, mode: 0o644) }
    if isNew.1 { try plist.replace(by: values, mode: 0o644) }
    return true
  }

  private func whole(_ path: String) -> WholeFile { WholeFile(path, on: disk) }

  /// Makes what is missing below the system directory, and that itself, for everyone to read.
  private func makeDirectory(_ path: String) throws(StorageError) {
    if path != places.systemDirectory { try makeDirectory(Path.directory(of: path)) }
    try disk.makeDirectory(path, mode: 0o755)
    // A umask may have taken rights from one that is new, or whose maker has died then. One with
    // files in it has the rights that an administrator wants.
    guard let status = try disk.status(of: path), status.mode & 0o055 != 0o055,
      try disk.names(in: path).isEmpty
    else { return }
    try disk.setMode(ofDirectory: path, 0o755)
  }
}
