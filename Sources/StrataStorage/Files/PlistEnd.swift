import StrataPropertyList

/// What the last bytes of a domain's file say of the rest, if that is as it was written.
///
/// Safety: bytes are lent to a `ByteView`, which checks every access, for one look each.
struct PlistEnd: Equatable, Sendable {
  let identity: PlistIdentity
  /// Where the last record ends, and the top dictionary begins.
  let recordsEnd: Int

  /// Nil if the end is not as we write it.
  init?(size: Int, _ read: RecordSearch.Read) throws(StorageError) {
    let start = size - BinaryTrailer.size
    guard start > 0 else { return nil }
    let end = try read(start, BinaryTrailer.size)
    guard let identity = CheckedPlist.identity(byEnd: end, size: size),
      let trailer = end.withUnsafeBytes({ BinaryTrailer(endOf: ByteView($0), size: size) })
    else { return nil }
    let entry = trailer.tableOffset + trailer.topObject * trailer.offsetSize
    let top = try read(entry, trailer.offsetSize)
    guard let offset = top.withUnsafeBytes({ ByteView($0).bigEndian(at: 0, width: $0.count) }),
      offset < UInt64(trailer.tableOffset)
    else { return nil }
    self.identity = identity
    recordsEnd = Int(offset)
  }
}
