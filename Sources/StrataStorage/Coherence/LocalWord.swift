import Synchronization

/// A coherence word of this process alone, for a domain without a journal.
final class LocalWord: Sendable {
  // Safety: allocated here, freed with this object, atomic in between.
  nonisolated(unsafe) let pointer = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: 1)

  static let value: UInt64 = 1

  init() { pointer.initialize(to: Atomic(Self.value)) }
  deinit { pointer.deallocate() }
}
