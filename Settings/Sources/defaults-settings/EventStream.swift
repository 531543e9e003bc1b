import CPage
import SettingsPage
import Synchronization

/// The events for one open page. While there is nothing to send its connection is suspended, and
/// costs nothing.
final class EventStream: Sendable {
  private struct State {
    var pending: [UInt8] = []
    var isSuspended = false
    var isOver = false
    var number: Int?
  }

  /// A page that takes nothing for so long is given up.
  private static let pendingMax = 8 << 20

  // Safety: a handle of the library, which may be resumed from any thread until the stream is over.
  private nonisolated(unsafe) let connection: OpaquePointer
  private let server: SettingsServer
  private let state = Mutex(State())

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
    let number = server.follow { [weak self] in self?.add($0) }
    state.withLock { $0.number = number }
  }

  private func add(_ bytes: [UInt8]) {
    state.withLock { state in
      if state.isOver { return }
      state.pending += bytes
      if !state.isSuspended { return }
      state.isSuspended = false
      MHD_resume_connection(connection)
    }
  }

  private func fill(_ buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> Int {
    state.withLock { state in
      if state.pending.isEmpty {
        state.isSuspended = true
        MHD_suspend_connection(connection)
        return 0
      }
      if state.pending.count > Self.pendingMax { return -1 }
      let count = min(size, state.pending.count)
      // Safety: the library lends `size` bytes for this call.
      UnsafeMutableRawPointer(buffer).copyMemory(
        from: Array(state.pending[..<count]), byteCount: count)
      state.pending.removeFirst(count)
      return count
    }
  }

  private func end() {
    let number = state.withLock { state in
      state.isOver = true
      return state.number
    }
    if let number { server.unfollow(number) }
  }
}
