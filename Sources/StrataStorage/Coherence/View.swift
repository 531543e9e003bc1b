import Synchronization

/// Where a table's current view is found.
typealias CurrentView = Atomic<UnsafeMutablePointer<View>>

/// What a read looks at: one block of memory, found by one load.
struct View: ~Copyable {
  // Safety: readers hold a view only inside `Readers.reading`; what it points at is freed later.

  /// The coherence word: the journal's, in the mapping that all processes share, or its stand-in.
  let word: UnsafeMutablePointer<Atomic<UInt64>>
  /// The word's value up to which this view is complete; if both are equal, it is up to date. Bit
  /// 63 says whether the table has every key, so that one that is not here has no value: a read
  /// learns both by one load, of each domain that it searches.
  private let state: Atomic<UInt64>
  /// The coarse time at which a read must first ask the kernel about edits by hand.
  let checkAt: Atomic<Int64>
  let slots: UnsafeMutablePointer<Slot>
  let mask: Int
  /// While the view waits to be freed: the one that waits longer, and whether no newer one has its
  /// slots. No reader asks.
  var older: UnsafeMutablePointer<View>?
  var ownsSlots = false

  typealias Slot = Atomic<UnsafeMutablePointer<Entry>?>

  private static let completeBit: UInt64 = 1 << 63

  /// Whether a key that is not found has no value, and the word's lower half; nil if the view is
  /// out of date, as far as a look without the lock can tell. Asked before the search: another
  /// thread may put the key in, and then complete the table, between the two.
  // Ordering: the state acquires the slots and entries that were stored before it, and the slots
  // are loaded after it. The word acquires for the caller: who sees a set in one domain sees in
  // others what was set before. A late look at the time is only late.
  @inline(__always)
  func hasEveryKey(ifCurrentAt now: Int64) -> (Bool, word: UInt32)? {
    let word = lowerWord
    let state = state.load(ordering: .acquiring)
    guard word == UInt32(truncatingIfNeeded: state), now < checkAt.load(ordering: .relaxed)
    else { return nil }
    return (state & Self.completeBit != 0, word)
  }

  /// Only the lower half: what is reserved, in the upper half, concerns nobody yet.
  @inline(__always)
  var lowerWord: UInt32 { UInt32(truncatingIfNeeded: word.pointee.load(ordering: .acquiring)) }

  var isOpen: Bool { state.load(ordering: .relaxed) & ~Self.completeBit != 0 }

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
    self.state = Atomic(Self.state(applied, isComplete: isComplete))
    self.checkAt = Atomic(0)
    self.slots = slots
    self.mask = mask
  }

  // -- With the store's lock

  var applied: UInt64 { state.load(ordering: .relaxed) & ~Self.completeBit }
  var isComplete: Bool { state.load(ordering: .relaxed) & Self.completeBit != 0 }

  // Ordering: releases what was put into the slots before.
  @inline(__always)
  func setState(applied: UInt64, isComplete: Bool) {
    state.store(Self.state(applied, isComplete: isComplete), ordering: .releasing)
  }

  /// No word that is compared has bit 63: of a journal's, only the lower half is, and an epoch
  /// counts up from zero.
  @inline(__always)
  private static func state(_ applied: UInt64, isComplete: Bool) -> UInt64 {
    isComplete ? applied | completeBit : applied & ~completeBit
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
  func first(_ hash: UInt64) -> Int { Self.first(hash, mask: mask) }

  @inline(__always)
  static func first(_ hash: UInt64, mask: Int) -> Int { Int(truncatingIfNeeded: hash >> 1) & mask }
}
