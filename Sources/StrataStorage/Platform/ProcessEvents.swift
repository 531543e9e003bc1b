import CStrata
import StrataSystem

/// What the C library reports about this process: that it forks, and that it exits.
package enum ProcessEvents {
  /// The number of forks on the way to this process: if it moved, what is known is the parent's.
  @inline(__always)
  package static var forks: UInt32 { strata_forks() }

  static var processID: UInt32 { UInt32(bitPattern: getpid()) }

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

  /// Whether a line can be written without waiting for its reader.
  static func takes(_ line: String) -> Bool {
    var descriptor = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
    return line.utf8.count < 4_000 && poll(&descriptor, 1, 0) == 1
      && descriptor.revents & Int16(POLLOUT) != 0
  }

  // Safety: the bytes are read during the call only, from where the last call stopped.
  /// Writes one line to the standard error; waits for its reader.
  static func log(_ line: String) {
    let bytes = Array("strata: \(line)\n".utf8)
    var done = 0
    while done < bytes.count {
      let part = bytes[done...].withUnsafeBytes { StrataSystem.write(2, $0.baseAddress, $0.count) }
      if part > 0 {
        done += part
      } else if part < 0 && errno == EAGAIN {
        var descriptor = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
        poll(&descriptor, 1, -1)
      } else if part == 0 || errno != EINTR {
        return  // nobody reads them any more
      }
    }
  }
}
