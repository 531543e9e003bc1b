import Synchronization

/// The directories of a domain's files: makes those that are missing, and makes them durable.
final class DomainDirectories: Sendable {
  private let paths: StorePaths
  private let disk: any FileSystem
  /// Whether the names that lead to the journal are known to be on the disk.
  // Ordering: only says what the kernel did; who does not see it yet asks once more.
  private let areDurable = Atomic<Bool>(false)

  init(_ paths: StorePaths, on disk: any FileSystem) {
    self.paths = paths
    self.disk = disk
  }

  /// Makes the directories that are missing.
  ///
  /// - Parameter isReading: whether the caller stores nothing. Then they are made only in a home of
  ///   this user's own, where they let a reader learn at once of the first set by another process.
  func make(isReading: Bool) {
    do throws(StorageError) {
      let isThere = try disk.status(of: paths.hidden) != nil
      if isThere, paths.machinePlace == nil { return }
      if isThere, try disk.status(of: paths.directory) != nil { return }
      if isReading, try !isHome { return }
      try make(paths.directory, below: paths.directoryMode)
      try makeHidden()
    } catch {
      // Without a directory there is no journal: `JournalOpener` reports what that means.
    }
  }

  private func makeHidden() throws(StorageError) {
    guard let place = paths.machinePlace else {
      let rights = try disk.status(of: paths.directory)?.directoryGroupRights ?? 0
      return try make(paths.hidden, paths.directoryMode | rights, below: paths.directoryMode)
    }
    // The place belongs to the user whose domains these are; others may pass through it (0711).
    guard try disk.standing(of: place, making: true) == .sound else { return }
    try make(paths.hidden, paths.directoryMode, below: 0o711)
  }

  /// Whether the nearest directory that exists belongs to this user, and the program runs as
  /// whoever started it, not with elevated rights.
  private var isHome: Bool {
    get throws(StorageError) {
      var path = paths.directory
      while true {
        if let status = try disk.status(of: path) {
          return status.owner.user == disk.user && !disk.isElevated
        }
        if Path.isTop(path) { return false }
        path = Path.directory(of: path)
      }
    }
  }

  /// Makes a directory, and those above it, where they are missing.
  private func make(
    _ path: String, _ mode: UInt32? = nil, below around: UInt32
  ) throws(StorageError) {
    guard path != "/", path != ".", try disk.status(of: path) == nil else { return }
    try make(Path.directory(of: path), below: around)
    try disk.makeDirectory(path, mode: mode ?? around)
    areDurable.store(false, ordering: .relaxed)
  }

  /// Makes the journal's name durable, once for each journal.
  func makeDurable(nameOf journal: Journal) throws(StorageError) {
    guard journal.isWritable, !journal.isNameDurable else { return }
    try disk.synchronizeDirectory(paths.hidden)  // Durability: the name of what will be synced
    if !journal.areDirectoriesDurable {
      try makeDurable()
      // Elsewhere, the plist file's directory may be made anew while the journal stays.
      journal.areDirectoriesDurable = paths.machinePlace == nil
    }
    journal.isNameDurable = true
  }

  /// Makes the directories' names durable: they may be new, whoever made them.
  func makeDurable() throws(StorageError) {
    if areDurable.load(ordering: .relaxed) { return }
    try makeDurable(namesAbove: paths.hidden)
    if paths.machinePlace != nil { try makeDurable(namesAbove: paths.directory) }
    areDurable.store(true, ordering: .relaxed)
  }

  private func makeDurable(namesAbove directory: String) throws(StorageError) {
    var path = directory
    while path != "/", path != ".", let status = try disk.status(of: path),
      status.owner.user == disk.user || disk.user == 0
    {
      path = Path.directory(of: path)
      try disk.synchronizeNames(in: path)  // Durability: the names that lead to the journal
    }
  }
}
