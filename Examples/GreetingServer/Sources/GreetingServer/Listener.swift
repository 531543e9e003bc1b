import Foundation

/// Accepts connections to a port of this machine, on a thread of its own.
struct Listener: Sendable {
  private let socket: Int32

  /// Nil if the port is not free.
  init?(port: UInt16, serve: @escaping @Sendable (Connection) -> Void) {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var reuses: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<Int32>.size))
    // Safety: both structures begin alike, and the size is that of the one that is given.
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isBound, listen(socket, 16) == 0 else {
      Glibc.close(socket)
      return nil
    }
    Thread.detachNewThread { [socket] in
      while case let connection = accept(socket, nil, nil), connection >= 0 {
        serve(Connection(socket: connection))
        Glibc.close(connection)
      }
      Glibc.close(socket)
    }
  }

  /// Accepts no more connections.
  func close() { shutdown(socket, Int32(SHUT_RDWR)) }
}

/// One connection.
struct Connection: Sendable {
  let socket: Int32

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    // A client that has gone away must not end the server.
    _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
