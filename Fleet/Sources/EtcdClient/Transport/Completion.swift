/// Waits for an operation of the library's that calls a function once when it is over.
enum Completion {
  typealias Context = UnsafeMutableRawPointer
  typealias Done = @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void

  /// - Returns: whether it succeeded.
  static func of(_ start: (@escaping Done, Context) -> Void) async -> Bool {
    await withCheckedContinuation { continuation in
      // Safety: the box is released by the function that is called once, when it is over.
      start(done, Unmanaged.passRetained(Box(continuation)).toOpaque())
    }
  }

  private final class Box: Sendable {
    let continuation: CheckedContinuation<Bool, Never>
    init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = continuation }
  }

  private static let done: Done = { context, isDone in
    guard let context else { return }
    Unmanaged<Box>.fromOpaque(context).takeRetainedValue().continuation
      .resume(returning: isDone != 0)
  }
}
