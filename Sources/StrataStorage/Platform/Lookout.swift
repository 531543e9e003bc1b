import CStrata

/// What tells sooner than a feed itself whether that has events.
///
/// Each set asks. It is no part of `FileSystem`, so that nothing has to be kept alive for the call.
struct Lookout: @unchecked Sendable {
  // Safety: allocated until `end`, which its feed calls when nobody can ask any more; any thread
  // may ask.
  private let lookout: UnsafeMutablePointer<strata_lookout>
  let file: FileID

  /// Nil if the kernel has none to give.
  init?(for feed: FileID) {
    guard let lookout = strata_lookout_make(feed.rawValue) else { return nil }
    self.lookout = lookout
    file = FileID(rawValue: lookout.pointee.descriptor)
  }

  @inline(__always)
  var isRaised: Bool { strata_lookout_is_raised(lookout) != 0 }

  /// Whether it tells by a word of memory.
  var isWatchingMemory: Bool { lookout.pointee.word != nil }

  /// Between the two, what was taken from the feed counts as if it were there.
  func beginTelling() { strata_lookout_begin_telling(lookout) }
  func endTelling() { strata_lookout_end_telling(lookout) }

  func end() { strata_lookout_end(lookout) }
}
