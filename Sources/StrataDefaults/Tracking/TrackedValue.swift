import Dispatch
import Observation
import StrataStorage

/// A key's value until its next change, as a component of the key path that is tracked for it.
///
/// Observation registers a tracking after its closure has returned, and would miss a change between
/// the read and the registration. But it hashes the key path to register it. So if a value is
/// hashed after its change, its trackings are fired once more. There may be none; and none is fired
/// in vain, because later reads track another value.
final class TrackedValue: Hashable, @unchecked Sendable {
  // Safety: guarded by the lock.
  private var mutate: Mutation?
  private var deliveringThread: ThreadIdentity?
  private var hasLateRegistration = false
  private let lock = Lock(.memory)

  /// Has Observation fire the trackings that are registered for a value.
  typealias Mutation = @Sendable (TrackedValue) -> Void

  /// Serial, since a tracking may have read several values; and not the global queue, where busy
  /// programs would delay it.
  private static let queue = DispatchQueue(label: "Tracking")

  /// Fires the registered trackings. By now, reads track another value.
  ///
  /// Only one thread does so at a time: two could find the same tracking and fire it twice. What
  /// this thread hashes meanwhile is Observation's look-up, and no registration.
  /// - Parameter isRepeated: fires once more later, whether or not a registration was seen.
  func fire(isRepeated: Bool = false, by mutate: @escaping Mutation) {
    lock.withLock {
      (self.mutate, deliveringThread, hasLateRegistration) = (mutate, .current, isRepeated)
    }
    mutate(self)
    let again = lock.withLock {
      deliveringThread = nil
      return hasLateRegistration
    }
    if again { fireLater(by: mutate) }
  }

  /// Observation registers a tracking under a lock of its own and stores afterwards how to cancel
  /// it: one that is fired in between stays registered for ever. That takes less than a
  /// microsecond, but the registering thread may have to wait for a processor.
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
