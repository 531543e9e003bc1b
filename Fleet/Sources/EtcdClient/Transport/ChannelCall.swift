import CGRPC

/// One call: a request with its answer, or a stream.
final class ChannelCall: Sendable {
  /// gRPC's code and text for how a call ended.
  struct Status: Equatable {
    let code: Int
    let text: String
  }

  // Safety: the C functions may be called by any thread; what they wait for is counted there.
  private nonisolated(unsafe) let call: OpaquePointer

  /// Stays open as long as it has calls, even if new ones use another.
  private let channel: Channel

  init(_ call: OpaquePointer, of channel: Channel) {
    self.call = call
    self.channel = channel
  }

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
    let count = fleet_call_message_size(call)
    var isWhole = false
    // Safety: the function writes at most as many bytes as it is told there is room for, and they
    // count only if it wrote that many.
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      isWhole = fleet_call_take_message(call, buffer.baseAddress, count) != 0
      used = isWhole ? count : 0
    }
    return isWhole ? bytes : nil
  }

  private var status: Status {
    Status(
      code: Int(fleet_call_status(call)), text: String(cString: fleet_call_details(call)))
  }

  private func cancellable(_ start: (OpaquePointer, Completion.Done, Completion.Context) -> Void)
    async -> Bool
  {
    await withTaskCancellationHandler {
      await Completion.of { done, context in start(call, done, context) }
    } onCancel: {
      cancel()
    }
  }
}
