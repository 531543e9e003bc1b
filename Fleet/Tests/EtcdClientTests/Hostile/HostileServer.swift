import Foundation
import Glibc

/// Something on a port that speaks gRPC, and answers each request as a test wants it to.
final class HostileServer: Sendable {
  typealias Answer = @Sendable (HostileStream) throws -> Void

  struct Failed: Error {
    let code: Int32
  }

  let endpoint: String
  private let file: Int32

  /// - Parameter answer: called with each stream when its first request has come.
  init(_ answer: @escaping Answer) throws {
    let port = try FreePort.find()
    endpoint = "http://127.0.0.1:\(port)"
    let file = try Self.listen(on: port)
    self.file = file
    Thread.detachNewThread {
      while true {
        let client = accept(file, nil, nil)
        // The socket is shut down when the test is over.
        guard client >= 0 else { break }
        Thread.detachNewThread { HostileConnection(client, answer).run() }
      }
      close(file)
    }
  }

  deinit { shutdown(file, Int32(SHUT_RDWR)) }

  /// A socket that takes connections to this port.
  static func listen(on port: UInt16) throws -> Int32 {
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
          && Glibc.listen(file, 16) == 0
      }
    }
    guard isBound else { throw Failed(code: errno) }
    return file
  }
}
