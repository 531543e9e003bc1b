import CStrata
import Glibc

/// What the C library tells about this process: that it forks, and that it ends.
package enum ProcessEvents {
  /// Differs from what it was wherever something may have been the parent's.
  @inline(__always)
  package static var forks: UInt32 { strata_forks() }

  static func onExit(_ body: @convention(c) () -> Void) { atexit(body) }

  /// The current time as `yyyymmdd-hhmmss`, for names only.
  static func timestamp() -> String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    let numbers = [
      parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
      parts.tm_sec,
    ]
    let texts = numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }
    return texts[..<3].joined() + "-" + texts[3...].joined()
  }

  // Safety: the bytes are read during the call only.
  /// Writes one line where the program's complaints go.
  static func log(_ line: String) {
    let bytes = Array("strata: \(line)\n".utf8)
    bytes.withUnsafeBytes { _ = Glibc.write(2, $0.baseAddress, $0.count) }
  }
}
