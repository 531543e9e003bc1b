import Synchronization

/// Where a table's current view is found.
typealias CurrentView = Atomic<UnsafeMutablePointer<View>>

/// What a read looks at: one block of memory, found by one load.
struct View: ~Copyable {
  // Safety: readers hold a view only inside `Readers.reading`; what it points at is freed later.

  /// The coherence word: the journal's, in the mapping that all processes share, or its stand-in.
  let word: UnsafeMutablePointer<Atomic<UInt64>>
  /// The word's value up to which this view is complete. If both are equal, it is up to date.
  let applied: Atomic<UInt64>
  /// The coarse time at which a read must first ask the kernel about edits by hand.
  let checkAt: Atomic<Int64>
  /// Whether the table has every key, so that one that is not here has no value.
  let isComplete: Atomic<Bool>
  let slots: UnsafeMutablePointer<Slot>
  let mask: Int

  typealias Slot = Atomic<UnsafeMutablePointer<Entry>?>

  /// Whether the view is up to date, as far as a look without the lock can tell.
  // Ordering: `applied` acquires the slots and entries that were stored before it. The word
  // acquires for the caller: who sees a set in one domain sees in others what was set before. A
  // late look at the time is only late.
  @inline(__always)
  func isTruth(at now: Int64) -> Bool {
    // Only the lower half: what is reserved, in the upper half, concerns nobody yet.
    UInt32(truncatingIfNeeded: word.pointee.load(ordering: .acquiring))
      == UInt32(truncatingIfNeeded: applied.load(ordering: .acquiring))
      && now < checkAt.load(ordering: .relaxed)
  }

  /// Whether a key that is not found has no value. Asked before the search: another thread may put
  /// the key in, and then complete the table, between the two.
  // Ordering: acquiring, so that the slots are loaded after it; pairs with `Table.isComplete`.
  @inline(__always)
  var hasEveryKey: Bool { isComplete.load(ordering: .acquiring) }

  /// Whether the entry that was found, or that none was, can be believed.
  @inline(__always)
  func isTruth(about entry: UnsafeMutablePointer<Entry>?, hadEveryKey: Bool) -> Bool {
    entry.map { !$0.pointee.isPending } ?? hadEveryKey
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

  /// The slot where `key` is, or would be.
  // Ordering: acquires the entry that `Table.put` released.
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
