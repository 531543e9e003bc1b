import Glibc

/// By which one sees that a file was replaced or written.
struct FileStamp: Equatable {
  private let numbers: [Int]

  /// A file that is not there has a stamp, too.
  init(_ path: String) {
    var status = stat()
    numbers =
      stat(path, &status) == 0
      ? [
        Int(bitPattern: status.st_dev), Int(bitPattern: status.st_ino), status.st_size,
        status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
        status.st_ctim.tv_nsec,
      ] : []
  }
}
