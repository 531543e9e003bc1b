import StrataSystem

/// What kind of file it is.
///
/// Swift's overlay of the C library has the constants for that as functions of a library of its
/// own: a process's first read would have to find each of them there, which takes a microsecond.
extension stat {
  var isRegular: Bool { kind == 0o100_000 }
  var isDirectory: Bool { kind == 0o040_000 }
  var isLink: Bool { kind == 0o120_000 }

  /// As in linux/stat.h.
  private var kind: mode_t { st_mode & 0o170_000 }
}
