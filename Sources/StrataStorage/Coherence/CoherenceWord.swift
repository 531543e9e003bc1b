import Synchronization

/// An object with a word that moves when a domain may have changed: its journal; while there is
/// none, the directory's epoch; where that can't be shared, a word of this process alone.
protocol CoherenceWord: AnyObject {
  // Safety: allocated as long as this object lives.
  var word: UnsafeMutablePointer<Atomic<UInt64>> { get }
}

/// A word of this process alone, for a domain without a journal.
final class LocalWord: CoherenceWord, Sendable {
  // Safety: allocated here, freed with this object, atomic in between.
  nonisolated(unsafe) let word = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: 1)

  static let value: UInt64 = 1

  init(_ value: UInt64 = LocalWord.value) { word.initialize(to: Atomic(value)) }
  deinit { word.deallocate() }
}

extension Journal: CoherenceWord {}
