import CPage
import Glibc
import SettingsPage

/// Lets a browser reach a server of settings by HTTP, as far as the browser is on this machine.
final class WebService: Sendable {
  let address: String
  private let server: SettingsServer
  private let deadlines: Deadlines

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
    let context = Context(server)
    // Safety: it lives as long as the process, as the library does.
    let pointer = Unmanaged.passRetained(context).toOpaque()
    guard let daemon = page_serve(port, answer, complete, connect, pointer) else {
      throw SettingsError("port \(port): \(String(cString: strerror(errno)))")
    }
    self.server = server
    deadlines = context.deadlines
    address = server.start(port: page_port(daemon))
  }

  private static let heartbeatSeconds = 15
  private static let idleSecondsMax = 15 * 60
  /// Pages have three seconds to take the news of the end.
  private static let endingLooksMax = 300

  /// Serves until somebody ends the process, or no page was open for long.
  func run() {
    var (seconds, idle) = (0, 0)
    while page_wait_for_end() == 0, idle < Self.idleSecondsMax {
      seconds += 1
      deadlines.tick()
      idle = server.pagesCount == 0 ? idle + 1 : 0
      if seconds.isMultiple(of: Self.heartbeatSeconds) { server.sendHeartbeat() }
    }
    server.end()
    for _ in 0..<Self.endingLooksMax where EventStream.sendingCount > 0 { usleep(10_000) }
  }
}

/// What the library hands back with each call.
private final class Context: Sendable {
  let server: SettingsServer
  let deadlines = Deadlines()

  init(_ server: SettingsServer) { self.server = server }

  // Safety: `WebService` retains it for good.
  static func of(_ pointer: UnsafeMutableRawPointer) -> Context {
    Unmanaged<Context>.fromOpaque(pointer).takeUnretainedValue()
  }
}

// -- Called by the library, always on its one thread

private let connect: MHD_NotifyConnectionCallback = { context, connection, _, event in
  guard let connection, let context else { return }
  let deadlines = Context.of(context).deadlines
  event.rawValue == 0 ? deadlines.begin(connection) : deadlines.end(connection)
}

/// Called when a request's head has come, and again for each part of its content.
private let answer: MHD_AccessHandlerCallback = {
  context, connection, path, method, _, part, size, state in
  guard let context, let connection, let path, let method, let state, let size else {
    return .NO
  }
  let server = Context.of(context).server
  guard let known = state.pointee else {
    let incoming = IncomingRequest(connection, String(cString: method), String(cString: path))
    state.pointee = Unmanaged.passRetained(incoming).toOpaque()
    let refusal = incoming.refusal ?? server.refusal(beforeContentOf: incoming.request)
    if let refusal { return send(refusal, on: connection, server) }
    return .YES
  }
  // Safety: a request's object is retained in its state until it is completed.
  let incoming = Unmanaged<IncomingRequest>.fromOpaque(known).takeUnretainedValue()
  if size.pointee > 0 {
    let isTaken = incoming.take(part, size.pointee)
    size.pointee = 0
    return isTaken ? .YES : .NO
  }
  Context.of(context).deadlines.end(connection)
  return send(server.respond(to: incoming.request), on: connection, server)
}

private let complete: MHD_RequestCompletedCallback = { context, connection, state, _ in
  if let context, let connection { Context.of(context).deadlines.begin(connection) }
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
