import CPage
import SettingsPage
import Synchronization

/// The events for one open page. While there is nothing to send its connection is suspended, and
/// costs nothing.
final class EventStream: Sendable {
  private struct State {
    /// What has yet to be sent; all pages share the bytes of one event.
    var pending: [[UInt8]] = []
    /// How much of the first one is sent.
    var sent = 0
    var size = 0
    var isSuspended = false
    var isOver = false
    var number: Int?
  }

  /// A page that takes nothing until so much is pending is given up.
  private static let pendingMax = 8 << 20

  // Safety: a handle of the library, which may be resumed from any thread until the stream is over.
  private nonisolated(unsafe) let connection: OpaquePointer
  private let server: SettingsServer
  private let state = Mutex(State())
  private static let sending = Atomic(0)

  /// How many pages have not been sent all that there is for them.
  static var sendingCount: Int { sending.load(ordering: .relaxed) }

  private init(_ connection: OpaquePointer, _ server: SettingsServer) {
    self.connection = connection
    self.server = server
  }

  static func response(on connection: OpaquePointer, _ server: SettingsServer) -> OpaquePointer? {
    let stream = EventStream(connection, server)
    // Safety: released by the library's last call.
    let context = Unmanaged.passRetained(stream).toOpaque()
    let response = MHD_create_response_from_callback(
      UInt64.max, 1 << 14,
      { context, _, buffer, size in
        guard let context, let buffer else { return -1 }
        return Unmanaged<EventStream>.fromOpaque(context).takeUnretainedValue()
          .fill(buffer, size)
      }, context,
      { context in
        guard let context else { return }
        Unmanaged<EventStream>.fromOpaque(context).takeRetainedValue().end()
      })
    if response == nil {
      Unmanaged<EventStream>.fromOpaque(context).release()
    } else {
      stream.begin()
    }
    return response
  }

  private func begin() {
    Self.sending.add(1, ordering: .relaxed)
    let number = server.follow { [weak self] in self?.add($0) }
    state.withLock { $0.number = number }
  }

  private func add(_ bytes: [UInt8]) {
    state.withLock { state in
      if state.isOver { return }
      if state.size + bytes.count > Self.pendingMax {
        (state.pending, state.size, state.isOver) = ([], 0, true)
      } else {
        state.pending.append(bytes)
        state.size += bytes.count
      }
      if !state.isSuspended { return }
      state.isSuspended = false
      Self.sending.add(1, ordering: .relaxed)
      MHD_resume_connection(connection)
    }
  }

  private func fill(_ buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> Int {
    state.withLock { state in
      if state.isOver { return -1 }
      guard let next = state.pending.first else {
        state.isSuspended = true
        // It asks for more when the last part is written.
        Self.sending.subtract(1, ordering: .relaxed)
        MHD_suspend_connection(connection)
        return 0
      }
      let count = min(size, next.count - state.sent)
      // Safety: the library lends `size` bytes for this call; what is copied lies within `next`.
      next.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(start: buffer, count: count)
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[state.sent...].prefix(count)))
      }
      state.sent += count
      if state.sent == next.count {
        state.pending.removeFirst()
        state.sent = 0
        state.size -= next.count
      }
      return count
    }
  }

  private func end() {
    let number = state.withLock { state in
      state.isOver = true
      if !state.isSuspended { Self.sending.subtract(1, ordering: .relaxed) }
      return state.number
    }
    if let number { server.unfollow(number) }
  }
}
