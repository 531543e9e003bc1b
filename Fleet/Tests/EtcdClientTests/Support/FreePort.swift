import Glibc
import Synchronization

/// A port of this machine that nobody uses.
enum FreePort {
  /// Below those that the kernel gives to connections, any of which may have one before a server
  /// that is to have it has begun.
  private static let range: Range<UInt32> = 12_000..<32_000
  private static let next = Atomic(UInt32.random(in: 0..<20_000))

  /// A port that this program has given to nobody else.
  static func find() throws(SocketError) -> UInt16 {
    for _ in range {
      let number = next.wrappingAdd(1, ordering: .relaxed).newValue
      let port = UInt16(range.lowerBound + number % UInt32(range.count))
      do {
        close(try bound(to: port).file)
        return port
      } catch {
        if error.code != EADDRINUSE { throw error }
      }
    }
    throw SocketError(code: EADDRINUSE)
  }

  /// A socket that takes connections, and its port, which is any if none is given.
  static func listen(at host: String = "127.0.0.1") throws -> (file: Int32, port: UInt16) {
    let socket = try bound(to: 0, of: host)
    guard Glibc.listen(socket.file, 16) == 0 else {
      let code = errno
      close(socket.file)
      throw SocketError(code: code)
    }
    return socket
  }

  private static func bound(
    to port: UInt16, of host: String = "127.0.0.1"
  ) throws(SocketError) -> (file: Int32, port: UInt16) {
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr(host)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(file, $0, size) == 0 && getsockname(file, $0, &size) == 0
      }
    }
    guard isBound else {
      let code = errno
      close(file)
      throw SocketError(code: code)
    }
    return (file, UInt16(bigEndian: address.sin_port))
  }
}

struct SocketError: Error {
  let code: Int32
}
