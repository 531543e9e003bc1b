import CPage
import Glibc
import Synchronization

/// Ends connections whose request does not come: the library waits as long as anything comes, be it
/// a byte in ten seconds, and thousands of such connections would keep everybody else out.
final class Deadlines: Sendable {
  // Safety: the address of a connection of the library, which is only compared.
  private struct Waiting {
    let descriptor: Int32
    var since: Int
  }

  private static let secondsMax = 15

  private let all = Mutex<[UInt: Waiting]>([:])
  private let second = Atomic(0)

  /// A connection waits for its next request from now on.
  func begin(_ connection: OpaquePointer) {
    let descriptor = page_descriptor(connection)
    if descriptor < 0 { return }
    let now = second.load(ordering: .relaxed)
    all.withLock { $0[Self.key(connection)] = Waiting(descriptor: descriptor, since: now) }
  }

  /// A request is there, whole, or the connection is closed.
  func end(_ connection: OpaquePointer) {
    all.withLock { _ = $0.removeValue(forKey: Self.key(connection)) }
  }

  /// To be called each second.
  func tick() {
    let now = second.wrappingAdd(1, ordering: .relaxed).newValue
    all.withLock { all in
      // The library closes a connection after it has called `end`: no descriptor here is another's.
      for waiting in all.values where now - waiting.since > Self.secondsMax {
        shutdown(waiting.descriptor, CInt(SHUT_RDWR))
      }
    }
  }

  private static func key(_ connection: OpaquePointer) -> UInt { UInt(bitPattern: connection) }
}
