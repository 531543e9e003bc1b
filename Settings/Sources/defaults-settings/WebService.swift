import CPage
import Glibc
import SettingsPage

/// Lets a browser reach a server of settings by HTTP, as far as the browser is on this machine.
final class WebService: Sendable {
  let address: String
  private let server: SettingsServer

  init(_ target: String, port: UInt16) throws(SettingsError) {
    // Safety: the files are constants in the program.
    let files = UnsafeBufferPointer(start: page_files_start(), count: page_files_count)
    let server = try SettingsServer(
      target,
      assets: files.map { file in
        SettingsServer.Asset(
          String(cString: file.path), String(cString: file.type),
          Array(UnsafeBufferPointer(start: file.bytes, count: file.size)))
      })
    // Safety: the server lives as long as the process; so does what is passed to the library.
    let context = Unmanaged.passRetained(server).toOpaque()
    guard let daemon = page_serve(port, answer, complete, context) else {
      throw SettingsError("port \(port): \(String(cString: strerror(errno)))")
    }
    self.server = server
    address = server.start(port: page_port(daemon))
  }

  private static let heartbeatSeconds = 15
  private static let idleSecondsMax = 15 * 60

  /// Serves until somebody ends the process, or no page was open for long.
  func run() {
    var (seconds, idle) = (0, 0)
    while page_wait_for_end() == 0, idle < Self.idleSecondsMax {
      seconds += 1
      idle = server.pagesCount == 0 ? idle + 1 : 0
      if seconds.isMultiple(of: Self.heartbeatSeconds) { server.sendHeartbeat() }
    }
    server.end()
    usleep(100_000)  // for the pages to be told
  }
}

// -- Called by the library, always on its one thread

/// Called when a request's head has come, and again for each part of its content.
private let answer: MHD_AccessHandlerCallback = {
  context, connection, path, method, _, part, size, state in
  guard let context, let connection, let path, let method, let state, let size else {
    return .NO
  }
  // Safety: `init` retained the server for good; a request's object is retained in its state until
  // it is completed.
  let server = Unmanaged<SettingsServer>.fromOpaque(context).takeUnretainedValue()
  guard let known = state.pointee else {
    let incoming = IncomingRequest(connection, String(cString: method), String(cString: path))
    state.pointee = Unmanaged.passRetained(incoming).toOpaque()
    if let refusal = incoming.refusal { return send(refusal, on: connection, server) }
    return .YES
  }
  let incoming = Unmanaged<IncomingRequest>.fromOpaque(known).takeUnretainedValue()
  if size.pointee > 0 {
    let isTaken = incoming.take(part, size.pointee)
    size.pointee = 0
    return isTaken ? .YES : .NO
  }
  return send(server.respond(to: incoming.request), on: connection, server)
}

private let complete: MHD_RequestCompletedCallback = { _, _, state, _ in
  // Safety: retained when the request's head came, and released only here.
  guard let state, let known = state.pointee else { return }
  Unmanaged<IncomingRequest>.fromOpaque(known).release()
  state.pointee = nil
}

private func send(
  _ response: Response, on connection: OpaquePointer, _ server: SettingsServer
) -> MHD_Result {
  let made: OpaquePointer?
  switch response.content {
  case .events: made = EventStream.response(on: connection, server)
  case .bytes(let bytes):
    // Safety: the library copies the bytes within the call, and changes none of them.
    made = bytes.withUnsafeBytes {
      MHD_create_response_from_buffer(
        $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
    }
  }
  guard let made else { return .NO }
  defer { MHD_destroy_response(made) }
  for (name, value) in response.headers { MHD_add_response_header(made, name, value) }
  return MHD_queue_response(connection, UInt32(response.status), made)
}
