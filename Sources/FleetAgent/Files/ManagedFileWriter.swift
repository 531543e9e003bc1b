package import FleetModel
package import StrataDomains
import StrataPropertyList
import StrataStorage

/// Brings the administrator's files to what they should be.
///
/// Each file is replaced whole. Its provenance is written first, and marks it as the agent's: a
/// file without it was made by hand, and is left alone.
package struct ManagedFileWriter: Sendable {
  private let places: Places
  private let trust: Trust
  private let disk = SystemFileSystem()

  package init(in places: Places) {
    self.places = places
    trust = Trust(in: places)
  }

  /// What was done.
  package struct Outcome: Equatable, Sendable {
    /// The property lists that were written or removed.
    package var changed: [String] = []
    package var problems: [FleetProblem] = []
  }

  /// Writes the files that differ, and removes those of the agent that are not among them.
  ///
  /// - Parameter mayLift: whether what an earlier file says may end. Otherwise it stays, even if
  ///   the agent has lost its state and the store its policies.
  package func write(
    _ files: [ManagedFile], mayLift: (Provenance.Entry) -> Bool
  ) -> Outcome {
    var outcome = Outcome()
    let wanted = Set(files.map(\.paths.plist))
    for file in files { attempt(keeping(file, mayLift, &outcome), &outcome) }
    for directory in directories(&outcome) {
      for name in names(in: directory, &outcome) where name.hasSuffix(Self.ending) {
        let identifier = String(name.dropLast(Self.ending.utf8.count))
        let paths = StorePaths(identifier: identifier, in: directory, for: .everyone)
        if wanted.contains(paths.plist) { continue }
        attempt(keeping(ManagedFile(paths, [:]), mayLift, &outcome), &outcome)
      }
    }
    return outcome
  }

  private static let ending = ".provenance"

  /// The file with those of its present values that may not end.
  private func keeping(
    _ file: ManagedFile, _ mayLift: (Provenance.Entry) -> Bool, _ outcome: inout Outcome
  ) -> ManagedFile {
    let old = Provenance.read(besidePlist: file.paths.plist)?.entries ?? [:]
    let kept = old.filter { file.entries[$0.key] == nil && !mayLift($0.value) }
    for policy in Set(kept.values.map(\.policy)).sorted() {
      outcome.problems.append(
        FleetProblem(file.paths.plist, "\(policy) is not in the store; what it said stays in force")
      )
    }
    return ManagedFile(file.paths, file.entries.merging(kept) { $1 })
  }

  private func attempt(_ file: ManagedFile, _ outcome: inout Outcome) {
    let contents: Contents
    do throws(PropertyListError) {
      contents = try Contents(file)
    } catch {
      outcome.problems.append(FleetProblem(file.paths.plist, error.description))
      return
    }
    do throws(StorageError) {
      if let distrust = trust.distrust(of: file.paths) {
        outcome.problems.append(FleetProblem(file.paths.plist, distrust.description))
      } else if try isByHand(file) {
        outcome.problems.append(
          FleetProblem(
            file.paths.plist,
            "it was not written by the agent, and stays as it is; remove it to have the policy's "
              + "values"))
      } else if try file.entries.isEmpty ? remove(file) : replace(file, contents) {
        outcome.changed.append(file.paths.plist)
      }
    } catch {
      outcome.problems.append(FleetProblem(file.paths.plist, error.description))
    }
  }

  /// The bytes of both files; equal values have equal bytes.
  private struct Contents {
    let values: [UInt8]
    let provenance: [UInt8]

    init(_ file: ManagedFile) throws(PropertyListError) {
      values = try PropertyList.encode(
        .dictionary(file.entries.mapValues(\.value)), as: .binary)
      provenance = try PropertyList.encode(Provenance(file.entries).encoded, as: .binary)
    }
  }

  private func isByHand(_ file: ManagedFile) throws(StorageError) -> Bool {
    let provenance = WholeFile(Provenance.path(besidePlist: file.paths.plist))
    if try provenance.status() != nil { return false }
    return try WholeFile(file.paths.plist).status() != nil
  }

  private func remove(_ file: ManagedFile) throws(StorageError) -> Bool {
    let plist = WholeFile(file.paths.plist)
    let wasThere = try plist.status() != nil
    try plist.remove()
    try WholeFile(Provenance.path(besidePlist: file.paths.plist)).remove()
    return wasThere
  }

  private func replace(
    _ file: ManagedFile, _ contents: Contents
  ) throws(StorageError) -> Bool {
    let path = file.paths.plist
    try makeDirectory(Path.directory(of: path))
    // Durability: with the provenance there, a restart knows that the file is the agent's.
    let first = try write(contents.provenance, to: Provenance.path(besidePlist: path))
    return try write(contents.values, to: path) || first
  }

  /// - Returns: whether the file had other bytes.
  private func write(_ bytes: [UInt8], to path: String) throws(StorageError) -> Bool {
    let file = WholeFile(path)
    if try file.read() == bytes { return false }
    try file.replace(by: bytes, mode: 0o644)
    return true
  }

  /// Makes what is missing below the system directory, and that itself.
  private func makeDirectory(_ path: String) throws(StorageError) {
    if try disk.status(of: path) != nil { return }
    if path != places.systemDirectory { try makeDirectory(Path.directory(of: path)) }
    try disk.makeDirectory(path, mode: 0o755)
  }

  // -- Looking

  private func directories(_ outcome: inout Outcome) -> [String] {
    let users = names(in: places.managedUsersDirectory, &outcome)
    return [places.managedDirectory, places.recommendedDirectory]
      + users.map { Path.join(places.managedUsersDirectory, $0) }
  }

  private func names(in directory: String, _ outcome: inout Outcome) -> [String] {
    do throws(StorageError) {
      guard let status = try disk.status(of: directory), !status.isRegular else { return [] }
      return try disk.names(in: directory).sorted()
    } catch {
      outcome.problems.append(FleetProblem(directory, error.description))
      return []
    }
  }
}
