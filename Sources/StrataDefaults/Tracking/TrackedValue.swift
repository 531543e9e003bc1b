import Dispatch
import Observation
import StrataStorage

/// A key's value until it changes, as a part of the key path that is tracked for it.
///
/// Observation registers a tracking after its closure has returned: a change that came since the
/// value was read would fire nobody. But to register a key path it must hash it. So when a value is
/// hashed that has changed by then, those who are registered for it are fired once more. That may
/// be nobody; and nobody is fired in vain, because who reads later tracks another value.
final class TrackedValue: Hashable, @unchecked Sendable {
  // Safety: guarded by the lock.
  private var mutate: Mutation?
  private var deliveringThread: ThreadIdentity?
  private var hasLateRegistration = false
  private let lock = Lock(.memory)

  /// Has Observation fire those who are registered for a value.
  typealias Mutation = @Sendable (TrackedValue) -> Void

  /// One after the other, for a tracking may have read several values; and not on the global queue,
  /// which waits for those who compute on it.
  private static let queue = DispatchQueue(label: "Tracking")

  /// Fires those who are registered, once there is another value for who reads from then on.
  ///
  /// One thread does so at a time: two would both find a tracking, and fire it twice. What this
  /// thread hashes meanwhile is no registration: that is how Observation finds whom to fire.
  func fire(by mutate: @escaping Mutation) {
    lock.withLock {
      (self.mutate, deliveringThread, hasLateRegistration) = (mutate, .current, false)
    }
    mutate(self)
    let again = lock.withLock {
      deliveringThread = nil
      return hasLateRegistration
    }
    if again { fireLater(by: mutate) }
  }

  /// Observation registers under a lock of its own, and then notes how to cancel: whoever is fired
  /// in between stays registered for ever. It takes less than a microsecond, but that thread may
  /// have to wait for a processor.
  private func fireLater(by mutate: @escaping Mutation) {
    Self.queue.asyncAfter(deadline: .now() + .milliseconds(20)) { self.fire(by: mutate) }
  }

  static func == (left: TrackedValue, right: TrackedValue) -> Bool { left === right }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
    let mutate: Mutation? = lock.withLock {
      if hasLateRegistration || deliveringThread == .current { return nil }
      hasLateRegistration = self.mutate != nil
      return deliveringThread == nil ? self.mutate : nil
    }
    if let mutate { fireLater(by: mutate) }
  }
}
