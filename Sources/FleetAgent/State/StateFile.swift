package import StrataStorage

/// The file from which an agent starts when no server answers.
package struct StateFile: Sendable {
  package let path: String
  private let directory: String
  private let disk: Disk
  /// The content that is known to be durable.
  private var saved: [UInt8]?
  private var isDirectoryMade = false

  package init(in directory: String, on disk: Disk) {
    self.directory = directory
    self.disk = disk
    path = Path.join(directory, "state.plist")
  }

  /// What is in it; nil if there is none yet.
  package mutating func read() throws(StorageError) -> [UInt8]? {
    saved = try WholeFile(path, on: disk).read()
    return saved
  }

  private static let keptMax = 5

  /// Keeps content that can't be used under another name, beside what was kept before.
  package func keep(_ bytes: [UInt8]) throws(StorageError) -> String {
    let names = (1...Self.keptMax).map { path + ".unreadable" + ($0 == 1 ? "" : "-\($0)") }
    var kept = names[0]
    for name in names {
      kept = name
      let old = try WholeFile(name, on: disk).read()
      if old == bytes { return name }
      if old == nil { break }
    }
    try WholeFile(kept, on: disk).replace(by: bytes)
    return kept
  }

  /// Removes what an agent that died has left.
  package func removeDrafts() throws(StorageError) {
    if try disk.status(of: directory) == nil { return }
    try WholeFile(path, on: disk).removeDrafts()
  }

  /// When it returns, the content is durable.
  package mutating func write(_ bytes: [UInt8]) throws(StorageError) {
    if bytes == saved { return }
    if !isDirectoryMade { try disk.makeDirectory(directory, mode: 0o700) }
    isDirectoryMade = true
    try WholeFile(path, on: disk).replace(by: bytes)
    saved = bytes
  }
}
