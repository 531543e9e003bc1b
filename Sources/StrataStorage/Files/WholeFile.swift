/// A file that is not a domain's: read whole, and replaced whole or not at all.
package struct WholeFile: Sendable {
  package let path: String
  private let disk: any FileSystem

  package init(_ path: String) { self.init(path, on: Disk()) }

  package init(_ path: String, on disk: Disk) {
    self.path = path
    self.disk = disk.fileSystem
  }

  /// The file's status, with links followed; nil if it is missing.
  package func status() throws(StorageError) -> FileStatus? { try disk.status(of: path) }

  /// The bytes; nil if the file is missing. Fails if it is too large for a property list.
  package func read() throws(StorageError) -> [UInt8]? {
    guard let status = try status() else { return nil }
    if let reason = Limits.refusal(fileSize: status.size) {
      throw StorageError(.read, path, reason: reason)
    }
    let file = try disk.open(path, .read)
    defer { disk.close(file) }
    return try disk.read(file, at: 0, count: status.size)
  }

  /// Replaces the content: whoever looks, even after a crash, sees either the old content or this.
  ///
  /// - Parameter mode: the mode of a new file; one that is there keeps its own.
  package func replace(by bytes: [UInt8], mode: UInt32 = 0o600) throws(StorageError) {
    let old = try status()
    let target = try disk.resolve(path)
    let directory = Path.directory(of: target)
    let draft = Path.join(directory, Self.draftName(of: Path.name(of: target)))
    do throws(StorageError) {
      let file = try disk.open(draft, .replace(mode: mode))
      defer { disk.close(file) }
      try disk.setAttributes(file, mode: old?.mode ?? mode, owner: old?.owner)
      try disk.write(bytes, to: file, at: 0)
      try disk.synchronize(file)  // Durability: content before name
      try disk.rename(draft, to: target, .replace)
      try disk.synchronizeDirectory(directory)  // Durability: the name
    } catch {
      removeDraft(draft)
      // Names the file: a draft or a descriptor says nothing to a person.
      throw StorageError(error.operation, path, code: error.code, reason: error.reason)
    }
  }

  private func removeDraft(_ draft: String) {
    do {
      try disk.remove(draft)
    } catch {
      // What matters is why the file was not replaced. The draft is found by its name later.
    }
  }

  private static func draftName(of name: String) -> String {
    ".\(name).\(String(UInt32.random(in: 0 ... .max), radix: 36)).new"
  }

  /// Of which file this is the name of a draft; nil if it is none.
  ///
  /// A process that dies leaves its draft, and a file system may bring one back after a power cut.
  /// Who is the only one to write a file removes its drafts before writing it.
  package static func fileName(ofDraft name: String) -> String? {
    var parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > 3, parts[0].isEmpty, parts.popLast() == "new",
      let number = parts.popLast(), UInt32(number, radix: 36) != nil
    else { return nil }
    let file = parts.dropFirst().joined(separator: ".")
    return file.isEmpty ? nil : file
  }

  /// Removes what processes left that died while they replaced the file, or one whose name goes on
  /// after this one's. For the only one who writes them.
  package func removeDrafts() throws(StorageError) {
    let (directory, own) = (Path.directory(of: path), Path.name(of: path))
    for name in try disk.names(in: directory) {
      guard let file = Self.fileName(ofDraft: name), file.hasPrefix(own) else { continue }
      try disk.remove(Path.join(directory, name))
    }
  }

  /// Keeps a file that is of no use under a dated name.
  /// - Returns: that name.
  package func keepAside() throws(StorageError) -> String {
    try DatedName.find(besides: path) { name throws(StorageError) in
      try disk.rename(path, toFree: name)
    }
  }

  /// Removes the file for good; does nothing if it is missing.
  ///
  /// A file system may bring the name back after a power cut, but then with an empty file.
  package func remove() throws(StorageError) {
    guard let status = try status() else { return }
    if status.isRegular, status.nameCount == 1 { try empty() }
    try disk.remove(path)
    try disk.synchronizeDirectory(Path.directory(of: path))  // Durability: the name is gone
  }

  private func empty() throws(StorageError) {
    let file = try disk.open(path, .readWrite)
    defer { disk.close(file) }
    // There may be another file by now.
    let status = try disk.status(of: file)
    guard status.isRegular, status.nameCount == 1 else { return }
    try disk.truncate(file)
    try disk.synchronize(file)  // Durability: content before name
  }
}
