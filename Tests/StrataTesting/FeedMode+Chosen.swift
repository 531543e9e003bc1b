import Glibc
package import StrataStorage

/// In which mode the suites run that set, read and edit: `STRATA_FEED=later` has them begin as a
/// process does that has just started.
extension FeedMode {
  package static let chosen: FeedMode =
    getenv("STRATA_FEED").map { String(cString: $0) } == "later" ? .later : .kernelEvents
}
