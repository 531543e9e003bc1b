import Foundation
import Glibc

/// Something on a port that speaks gRPC, and answers each request as a test wants it to.
final class HostileServer: Sendable {
  typealias Answer = @Sendable (HostileStream) throws -> Void

  let endpoint: String
  private let file: Int32

  /// - Parameter answer: called with each stream when its first request has come.
  init(_ answer: @escaping Answer) throws {
    let (file, port) = try FreePort.listen()
    endpoint = "http://127.0.0.1:\(port)"
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
}
