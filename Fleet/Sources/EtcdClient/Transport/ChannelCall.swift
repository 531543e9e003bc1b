import CGRPC
import Glibc
import RevisionedStore

/// One call: a request with its answer, or a stream.
final class ChannelCall: Sendable {
  /// gRPC's code and text for how a call ended.
  struct Status: Equatable {
    let code: Int
    let text: String
  }

  // Safety: the C functions may be called by any thread; what they wait for is counted there.
  private nonisolated(unsafe) let call: OpaquePointer

  init(_ call: OpaquePointer) { self.call = call }

  deinit { fleet_call_release(call) }

  func cancel() { fleet_call_cancel(call) }

  /// The answer to a request, or why there is none.
  func ask(_ request: [UInt8]) async -> (answer: [UInt8]?, status: Status) {
    _ = await cancellable { call, done, context in
      request.withUnsafeBytes { fleet_call_ask(call, $0.baseAddress, $0.count, done, context) }
    }
    let status = status
    return (status.code == 0 ? message : nil, status)
  }

  /// - Returns: whether the message was sent.
  func send(_ message: [UInt8]) async -> Bool {
    await cancellable { call, done, context in
      message.withUnsafeBytes { fleet_stream_send(call, $0.baseAddress, $0.count, done, context) }
    }
  }

  /// The next message; nil at the end of the stream.
  func receive() async -> [UInt8]? {
    let isThere = await cancellable { call, done, context in
      fleet_stream_receive(call, done, context)
    }
    return isThere ? message : nil
  }

  /// How the stream has ended; after `receive` has returned nil.
  func finish() async -> Status {
    _ = await cancellable { call, done, context in fleet_stream_finish(call, done, context) }
    return status
  }

  private var message: [UInt8]? {
    var count = 0
    guard let bytes = fleet_call_take_message(call, &count) else { return nil }
    defer { free(bytes) }
    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  private var status: Status {
    Status(
      code: Int(fleet_call_status(call)), text: String(cString: fleet_call_details(call)))
  }

  private typealias Start = (
    OpaquePointer, @escaping @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void,
    UnsafeMutableRawPointer
  ) -> Void

  private func cancellable(_ start: Start) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // Safety: the box is released by the function that is called once, when it is over.
        start(call, Self.done, Unmanaged.passRetained(Box(continuation)).toOpaque())
      }
    } onCancel: {
      cancel()
    }
  }

  private final class Box: Sendable {
    let continuation: CheckedContinuation<Bool, Never>
    init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = continuation }
  }

  private static let done: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void = {
    context, isDone in
    guard let context else { return }
    Unmanaged<Box>.fromOpaque(context).takeRetainedValue().continuation
      .resume(returning: isDone != 0)
  }
}
