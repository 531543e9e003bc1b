import CStrata

/// A file's bytes in memory, shared with every process that maps it.
///
/// The mapping is longer than the file, so that a growing file needs no new one. If somebody cuts
/// the file off, `isLost` becomes true and the bytes read as zeros; no signal reaches the program.
final class Mapping: @unchecked Sendable {
  // Safety: constants; what `base` points at is guarded by the journal's own protocol, and the
  // record lives until `release` is called.
  let base: UnsafeMutableRawPointer
  let count: Int

  /// Where a loss is noted. (Each set asks, so no closure.)
  private let record: UnsafePointer<strata_mapping>
  private let release: @Sendable () -> Void

  init(
    base: UnsafeMutableRawPointer, count: Int, record: UnsafePointer<strata_mapping>,
    release: @escaping @Sendable () -> Void
  ) {
    self.base = base
    self.count = count
    self.record = record
    self.release = release
  }

  deinit { release() }

  @inline(__always)
  var isLost: Bool { strata_mapping_is_lost(record) != 0 }

  // Safety: a range past the mapping gives nothing; one past the file reads zeros.
  /// Calls `body` with a private copy of a few bytes, which nobody changes meanwhile.
  func withCopy<Result>(
    of range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    guard range.lowerBound >= 0, range.upperBound <= count else {
      return body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    return withUnsafeTemporaryAllocation(byteCount: range.count, alignment: 8) { copy in
      copy.copyMemory(
        from: UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
      return body(UnsafeRawBufferPointer(copy))
    }
  }

  // Safety: as above.
  /// A private copy.
  func bytes(_ range: Range<Int>) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= count else { return [] }
    // Not by the initializer that takes a collection, for which the runtime looks up its type.
    return [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
      UnsafeMutableRawBufferPointer(buffer).copyMemory(
        from: UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
      filled = range.count
    }
  }
}
