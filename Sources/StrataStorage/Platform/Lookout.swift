import CStrata

/// A file of the kernel's that tells sooner than a feed itself whether that has events.
///
/// Each set asks. It is no part of `FileSystem`, so that nothing has to be kept alive for the call.
struct Lookout: Sendable {
  let file: FileID

  @inline(__always)
  var isRaised: Bool { strata_is_anything_readable(file.rawValue) != 0 }
}
