import StrataPropertyList
import StrataStorage

/// Replaces all domains of a user by those of an archive: all of them or none, to every program
/// that starts later.
///
/// Durability: the archive is first stored as a whole, as an *intent* beside the domains, with the
/// names of those that are to be emptied, and with a number. Once it has its name there, the
/// restoration counts: each program that begins to use the domains completes it before it reads
/// anything. Then the domains get their new values one after the other, each as one change, and the
/// intent is removed. So after a restoration was killed, programs that start see nothing of it or
/// all of it. Programs that are already running see one domain change after the other.
///
/// If a domain can't be stored, the intent stays, and the next program tries again. A domain's
/// journal remembers the number, so that none is replaced twice: what is set meanwhile stays.
///
/// Locking: restoring and completing hold a file lock, so that no process applies an intent that
/// another one has already completed, over values that were set since.
package struct Restoration: Sendable {
  private let places: Places
  private let directory: String
  private var hidden: String { Path.join(directory, ".strata") }
  private var intent: WholeFile { WholeFile(intentPath) }
  private var intentPath: String { Path.join(hidden, "restore") }

  private init(places: Places, directory: String) {
    self.places = places
    self.directory = directory
  }

  /// Replaces everything that is there by the archive's contents.
  /// - Returns: what a person should know although everything is replaced; nil if there is nothing.
  package static func restore(
    _ archive: Archive, in places: Places,
    progress: @escaping (String, Int, Int) -> Void = { _, _, _ in }
  ) throws(ArchiveError) -> String? {
    guard let directory = places.userDirectory else {
      throw ArchiveError("there is no home directory to restore to; set HOME")
    }
    try archive.checkLimits()
    return try Restoration(places: places, directory: directory).begin(archive, progress)
  }

  /// Completes a restoration whose process died.
  static func finish(in places: Places) { finish(in: places, places.userDirectory) }

  // The directory is a parameter: an optional text that is looked at where it lies in a struct is
  // copied by its type, which the runtime would have to make.
  @inline(never)
  private static func finish(in places: Places, _ directory: String?) {
    guard let directory else { return }
    let restoration = Restoration(places: places, directory: directory)
    do {
      guard restoration.isThere else { return }
      let lock = try ProcessLock(restoration.lockPath)
      let remark = try withExtendedLifetime(lock) { try restoration.complete { _, _, _ in } }
      if let remark { Log.write(remark) }
    } catch {
      Log.write("a restoration of \(directory) could not be completed: \(error)")
    }
  }

  private var isThere: Bool {
    do throws(StorageError) {
      return try SystemFileSystem().status(of: intentPath) != nil
    } catch {
      // If the directory can't be read, reading its domains reports the error.
      if error.isOfMoment { Log.write("the next program completes what was restored: \(error)") }
      return false
    }
  }

  private var lockPath: String { Path.join(hidden, "restoring") }

  private func begin(
    _ archive: Archive, _ progress: (String, Int, Int) -> Void
  ) throws(ArchiveError) -> String? {
    do {
      try makeDirectories()
      let lock = try ProcessLock(lockPath)
      return try withExtendedLifetime(lock) {
        try store(archive)
        return try complete(progress)
      }
    } catch let error as ArchiveError {
      throw error
    } catch {
      throw ArchiveError("\(error)")
    }
  }

  /// Stores the intent: the archive with a number, and with all domains that it does not have.
  private func store(_ archive: Archive) throws {
    var archive = archive
    for file in try Archive.files(in: places) where archive.domains[FileName(file.name)] == nil {
      archive.domains[FileName(file.name)] = [:]
    }
    archive.number = .random(in: 0 ... .max)
    try intent.removeDrafts()
    try intent.replace(by: archive.checkedBytes())
  }

  private func makeDirectories() throws(StorageError) {
    let disk = SystemFileSystem()
    for path in [Path.directory(of: directory), directory, hidden] {
      try disk.makeDirectory(path, mode: 0o700)
    }
  }

  /// Applies the intent. The lock must be held.
  /// - Returns: what a person should know although everything is applied.
  private func complete(_ progress: (String, Int, Int) -> Void) throws -> String? {
    guard let status = try intent.status(), let bytes = try intent.read() else {
      return nil  // another process completed it
    }
    if bytes.isEmpty {
      try intent.remove()  // completed; a power cut brought the name back
      return nil
    }
    let archive = try checked(bytes)
    let number = archive.number ?? UInt64(bitPattern: status.modified)  // of an older version
    let names = FileName.ascending(Array(archive.domains.keys))
    var failure: (any Error)?
    var unwritten: [String] = []
    for (index, name) in names.enumerated() {
      progress(name.text, index, names.count)
      do {
        let whole = archive.names[name]
        let values = archive.domains[name] ?? [:]
        try replace(name.text, by: values, named: whole, number).map { unwritten.append($0) }
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    try intent.remove()
    return unwritten.isEmpty ? nil : unwritten.joined(separator: "\n")
  }

  /// Reads the intent. A damaged one is kept under another name, so that it no longer counts; one
  /// of a newer version waits for a program that can read it.
  private func checked(_ bytes: [UInt8]) throws -> Archive {
    do throws(ArchiveError) {
      return try Archive(bytes)
    } catch {
      if case .intact = CheckedPlist.inspect(bytes) { throw error }
      throw ArchiveError("\(error.reason) (kept at \(try intent.keepAside()))")
    }
  }

  /// - Returns: what a person should know if the property list can't be written now.
  private func replace(
    _ name: String, by values: [String: PropertyListValue], named whole: String?, _ number: UInt64
  ) throws -> String? {
    guard let paths = Archive.paths(of: name, in: places) else { return nil }
    let store = Store.open(paths)
    do throws(StorageError) {
      try store.replaceAll(by: values, once: number)
    } catch {
      throw ArchiveError("\(error); \(Self.promise)")
    }
    if let whole { EncodedName.keep(whole, of: paths) }
    if store.flush() { return nil }
    guard store.synchronize() else {
      throw ArchiveError("could not store \(paths.plist); \(Self.promise)")
    }
    // By now, the flusher may have been luckier.
    guard let issue = store.issues.last(where: { $0.kind == .notStored || $0.kind == .waiting })
    else { return nil }
    return "all domains are restored, but \(paths.plist) could not be written: "
      + "\(issue.text); its values are in effect and safe in the journal, and the next program "
      + "that uses the domain writes them to the property list, once this is fixed"
  }

  private static let promise = "the restoration continues when the next program starts"
}

extension Archive {
  /// Checks that every domain can be stored, before anything is changed.
  func checkLimits() throws(ArchiveError) {
    for (name, values) in domains {
      let changes = ChangeSet(setting: values)
      if let refusal = Store.refusal(of: changes, name.text) {
        throw ArchiveError("the domain \(name.text): \(refusal)")
      }
    }
  }
}
