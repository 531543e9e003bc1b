import StrataPropertyList

/// What the last bytes of a domain's file say of the rest, if that is as it was written.
///
/// Safety: bytes are lent to a `ByteView`, which checks every access, for one look each.
struct PlistEnd: Sendable {
  let identity: PlistIdentity
  /// Where the last record ends, and the top dictionary begins.
  var recordsEnd: Int
  private let trailer: BinaryTrailer

  /// Nil if the end is not as we write it.
  init?(size: Int, _ read: RecordSearch.Read) throws(StorageError) {
    let start = size - BinaryTrailer.size
    guard start > 0 else { return nil }
    let end = try read(start, BinaryTrailer.size)
    guard let identity = CheckedPlist.identity(byEnd: end, size: size),
      let trailer = end.withUnsafeBytes({ BinaryTrailer(endOf: ByteView($0), size: size) }),
      let top = try Self.offset(ofObject: trailer.topObject, trailer, read),
      top < trailer.tableOffset
    else { return nil }
    self.identity = identity
    self.trailer = trailer
    recordsEnd = top
  }

  /// Where the table of offsets says that an object begins.
  func offset(ofObject number: Int, _ read: RecordSearch.Read) throws(StorageError) -> Int? {
    number < trailer.objectCount ? try Self.offset(ofObject: number, trailer, read) : nil
  }

  private static func offset(
    ofObject number: Int, _ trailer: BinaryTrailer, _ read: RecordSearch.Read
  ) throws(StorageError) -> Int? {
    let entry = try read(
      trailer.tableOffset + number * trailer.offsetSize, trailer.offsetSize)
    return entry.withUnsafeBytes { ByteView($0).bigEndian(at: 0, width: $0.count) }
      .flatMap { Int(exactly: $0) }
  }
}
