/// A large property list of a domain, open to be searched for one key.
final class ListSearch {
  private let plist: PlistFile
  private let file: FileID
  /// The file's status before anything was read.
  private let status: FileStatus
  private let end: PlistEnd

  /// Nil if the file is not large, or not ours: then it must be read.
  init?(_ plist: PlistFile) throws(StorageError) {
    let disk = plist.disk
    guard let status = try disk.status(of: plist.path), status.isRegular,
      status.size >= disk.searchSizeMin,
      Limits.refusal(fileSize: status.size) == nil
    else { return nil }
    let file = try disk.open(plist.path, .read)
    do throws(StorageError) {
      guard try disk.status(of: file) == status,
        let end = try PlistEnd(size: status.size, Self.reading(file, on: disk))
      else {
        disk.close(file)
        return nil
      }
      self.end = end
    } catch {
      disk.close(file)
      throw error
    }
    self.plist = plist
    self.file = file
    self.status = status
  }

  deinit { plist.disk.close(file) }

  private static func reading(_ file: FileID, on disk: any FileSystem) -> RecordSearch.Read {
    { (offset, count) throws(StorageError) in try disk.read(file, at: offset, count: count) }
  }

  /// The identity of the file, if it is as it was written.
  var identity: PlistIdentity { end.identity }

  /// For how many keys to search before reading the whole file: together they cost less than that.
  var keysMax: Int { max(1, status.size >> 18) }

  func find(_ key: String) throws(StorageError) -> RecordSearch.Result {
    var search = RecordSearch(end, read: Self.reading(file, on: plist.disk))
    let result = try search.find(key)
    if case .absent = result, RareKeys.mayEqualAnother(key) { return .unproved }
    return result
  }

  /// Whether the file still has its name, and nobody has written to it.
  func isUnchanged() throws(StorageError) -> Bool {
    try plist.disk.status(of: plist.path) == status
  }
}
