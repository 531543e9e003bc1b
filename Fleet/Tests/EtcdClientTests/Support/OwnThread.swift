import Foundation

/// Runs what blocks, or takes long, on a thread of its own: those of tasks are as few as the
/// processors, and tests that measure time run beside.
func onOwnThread<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
  }
}
