import StrataPropertyList

/// A large property list of a domain, open, of which no more is read than the keys need that are
/// asked for: most programs read a few settings and end.
///
/// What the whole file holds is not known. Its end says which file it was when it was written; each
/// record proves itself (see `RecordSearch`).
final class UnreadPlist: Sendable {
  /// How many keys to search for before reading the whole file: together they cost a fraction of
  /// that.
  let lookupsMax: Int

  private let plist: PlistFile
  private let file: FileID
  /// The file's status when its end was read.
  private let status: FileStatus
  private let end: PlistEnd
  private let read: RecordSearch.Read

  /// The identity of the file, if it is as it was written.
  var identity: PlistIdentity { end.identity }

  var byteCount: Int { status.size }

  /// Takes the open file over; nil if it is not large, or not ours: then it must be read.
  init?(_ plist: PlistFile, _ file: FileID, _ status: FileStatus) throws(StorageError) {
    let disk = plist.disk
    guard status.size >= disk.searchSizeMin else { return nil }
    let read: RecordSearch.Read = { (offset, count) throws(StorageError) in
      try disk.read(file, at: offset, count: count)
    }
    guard let end = try PlistEnd(size: status.size, read) else { return nil }
    self.plist = plist
    self.file = file
    self.status = status
    self.read = read
    self.end = end
    lookupsMax = max(1, min(16, status.size >> 17))
  }

  deinit {
    // Some programs close all that they do not know; the number may lead to another file by now.
    do throws(StorageError) {
      guard try plist.disk.status(of: file).isSameFile(as: status) else { return }
    } catch {
      return
    }
    plist.disk.close(file)
  }

  func find(_ key: String) -> RecordSearch.Result {
    do throws(StorageError) {
      var search = RecordSearch(end: end.recordsEnd, read: read)
      let result = try search.find(key)
      // Whoever edits a file in place may have written while it was searched.
      guard try plist.disk.status(of: file).isSameContent(as: status) else { return .unproved }
      if case .absent = result, RareKeys.mayEqualAnother(key) { return .unproved }
      return result
    } catch {
      return .unproved
    }
  }

  /// Reads and judges the whole file, even if its name is another one's by now; nil if the
  /// descriptor leads to another file.
  func readAll() -> PlistReading? {
    let reading = plist.read(file)
    if let now = reading.status, !now.isSameFile(as: status) { return nil }
    return reading
  }
}
