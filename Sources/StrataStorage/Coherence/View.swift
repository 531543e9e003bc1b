import Synchronization

/// Where a table's present view is found.
typealias CurrentView = Atomic<UnsafeMutablePointer<View>>

/// What a read looks at: one block of memory, found by one load.
struct View: ~Copyable {
  // Safety: readers hold a view only inside `Readers.reading`; what it points at is freed later.

  /// The journal's coherence word, in the mapping that all processes share.
  let word: UnsafeMutablePointer<Atomic<UInt64>>
  /// The word's value up to which this view is complete. Equal words: the view is the truth.
  let applied: Atomic<UInt64>
  /// The coarse time after which a read first asks the kernel about edits by hand.
  let checkAt: Atomic<Int64>
  /// Whether a key that is not here is nowhere.
  let isComplete: Atomic<Bool>
  let slots: UnsafeMutablePointer<Slot>
  let mask: Int

  typealias Slot = Atomic<UnsafeMutablePointer<Entry>?>

  /// Whether nobody has changed anything since, as far as a look without a lock can tell.
  @inline(__always)
  func isTruth(at now: Int64) -> Bool {
    // The lower half: what somebody is about to write concerns nobody yet.
    UInt32(truncatingIfNeeded: word.pointee.load(ordering: .acquiring))
      == UInt32(truncatingIfNeeded: applied.load(ordering: .acquiring))
      && now < checkAt.load(ordering: .relaxed)
  }

  /// Whether what was found, or that nothing was, can be believed.
  @inline(__always)
  func isTruth(about entry: UnsafeMutablePointer<Entry>?) -> Bool {
    entry.map { !$0.pointee.isPending } ?? isComplete.load(ordering: .relaxed)
  }

  init(
    word: UnsafeMutablePointer<Atomic<UInt64>>, applied: UInt64, isComplete: Bool,
    slots: UnsafeMutablePointer<Slot>, mask: Int
  ) {
    self.word = word
    self.applied = Atomic(applied)
    self.checkAt = Atomic(0)
    self.isComplete = Atomic(isComplete)
    self.slots = slots
    self.mask = mask
  }

  static func makeSlots(_ count: Int) -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
    for index in 0..<count { (slots + index).initialize(to: Atomic(nil)) }
    return slots
  }

  /// Where `key` is, or would be.
  @inline(__always)
  func find(_ key: HashedKey) -> (slot: Int, entry: UnsafeMutablePointer<Entry>?) {
    var slot = first(key.hash)
    while let entry = slots[slot].load(ordering: .acquiring) {
      if entry.pointee.hash == key.hash && Entry.holds(entry, key) { return (slot, entry) }
      slot = (slot + 1) & mask
    }
    return (slot, nil)
  }

  @inline(__always)
  func first(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 1) & mask }
}
