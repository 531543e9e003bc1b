import EtcdClient
import Foundation
import Glibc
import RevisionedStore
import Synchronization
import Testing

/// How often a server is tried that does not let anybody in.
struct EtcdAttemptTests {
  // M-3, M-11
  @Test func `a server that is away is tried when a follower says so, and not in between`()
    async throws
  {
    let door = try ClosedDoor()
    let store = try EtcdStore(StoreLocation(endpoints: [door.endpoint]))
    let found = await error { () async throws(StoreError) in
      try await store.watch([.key("a")], after: 1) { _ in }
    }
    guard case .unavailable = found else {
      Issue.record("\(found as Any)")
      return
    }
    // The library would try again after 0.1 seconds, and then at least each second. Some may have
    // been on their way, or wait to be counted.
    var (before, now) = (0, door.visitorCount)
    for _ in 0..<10 where before != now {
      before = now
      try await Task.sleep(for: .seconds(4))
      now = door.visitorCount
    }
    #expect(before >= 1 && before == now)
    _ = await error { () async throws(StoreError) in
      try await store.watch([.key("a")], after: 1) { _ in }
    }
    // It is counted once it is let in.
    try await awaited { door.visitorCount > before ? true : nil }
  }
}

/// A port that ends every connection at once, and counts them.
private final class ClosedDoor: Sendable {
  let endpoint: String
  private let file: Int32
  private let visitors = Atomic(0)

  init() throws {
    // Where no client of another test still looks for a server that had this port before.
    let host = "127.0.0.11"
    let (file, port) = try FreePort.listen(at: host)
    self.file = file
    endpoint = "http://\(host):\(port)"
    Thread.detachNewThread { [file, weak self] in
      while true {
        let client = accept(file, nil, nil)
        // The socket is shut down when the test is over.
        guard client >= 0 else { break }
        self?.visitors.add(1, ordering: .relaxed)
        close(client)
      }
      close(file)
    }
  }

  deinit { shutdown(file, Int32(SHUT_RDWR)) }

  var visitorCount: Int { visitors.load(ordering: .relaxed) }
}
