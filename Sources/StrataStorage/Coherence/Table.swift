import CStrata
import StrataPropertyList
import Synchronization

/// A domain's keys in this process's memory.
///
/// Any thread reads without a lock; changes are made by one thread at a time, which holds the
/// store's lock. Entries never change: a new value is a new entry in the old one's slot. What
/// readers may still look at is put aside, and freed in bulk once they have left.
///
/// Locking: everything but `cachedValue`, `byteCount` and `fetchSlot` needs the store's lock.
///
/// Ordering: a reader acquires what it follows, and each store that it follows releases what is
/// behind it: a slot its entry, `current` the view and its slots, the view's state all up to the
/// word in it, or all keys. What is loaded with the lock held was stored with it: relaxed is
/// enough, as it is for new slots that no reader has yet, for a time to look, for a count of bytes,
/// and for an address that is only fetched.
final class Table: @unchecked Sendable {
  // Safety: `current` is atomic, and allocated as long as this object lives; everything else is
  // guarded by the store's lock.
  let current: UnsafeMutablePointer<CurrentView>
  private(set) var count = 0
  /// The bytes that all keys with a value take; any thread may read it.
  let byteCount = Atomic<Int>(0)
  /// The address and the mask of the slots, for who only has them fetched.
  private let fetchedSlots = Atomic<UInt>(0)
  private let fetchedMask = Atomic<Int>(0)

  // Untyped: each array of typed pointers is a type that the runtime has to make.
  private var oldEntries: [UnsafeMutableRawPointer] = []
  private var oldView: UnsafeMutablePointer<View>?
  private var blocks = EntryBlocks()
  private var pins = 0
  /// Whose word the view compares; nil stands for the table's own, which nobody else moves.
  private var source: (any CoherenceWord)?
  private let ownWord = LocalWord()
  private var isHidden = false
  /// A word that no view is complete up to.
  private static let hiddenWord = LocalWord(.max)
  private var freeAt = oldEntriesMax

  private static let oldEntriesMax = EntryBlocks.countMax

  init() {
    let size = Self.size(for: 0)
    let view = UnsafeMutablePointer<View>.allocate(capacity: 1)
    view.initialize(
      to: View(
        word: ownWord.word, applied: 0, isComplete: false, slots: View.makeSlots(size),
        mask: size - 1))
    current = UnsafeMutablePointer<CurrentView>.allocate(capacity: 1)
    current.initialize(to: Atomic(view))
    noteSlots()
  }

  private func noteSlots() {
    fetchedSlots.store(UInt(bitPattern: view.pointee.slots), ordering: .relaxed)
    fetchedMask.store(view.pointee.mask, ordering: .relaxed)
  }

  deinit {
    free()
    let view = self.view
    forEachEntry { Entry.free($0, to: &blocks) }
    view.pointee.slots.deinitialize(count: view.pointee.mask + 1).deallocate()
    view.deinitialize(count: 1).deallocate()
    current.deallocate()
  }

  // -- Reading, without a lock

  /// The result of `body` for the key's entry; nil if the caller must look again with the lock.
  @inline(__always)
  func cachedValue<Result>(
    _ key: String, _ body: (borrowing UnsafeMutablePointer<Entry>?) -> Result
  ) -> Result? {
    HashedKey.with(key) { key in
      Readers.reading {
        let view = current.pointee.load(ordering: .acquiring)
        guard let (hadEveryKey, _) = view.pointee.hasEveryKey(ifCurrentAt: strata_coarse_now())
        else { return nil }
        let entry = view.pointee.find(key).entry
        guard view.pointee.isTruth(about: entry, hadEveryKey: hadEveryKey) else { return nil }
        return body(entry)
      }
    }
  }

  /// Whether readers can do without the lock as long as nothing changes.
  var isOpen: Bool { Readers.reading { current.pointee.load(ordering: .acquiring).pointee.isOpen } }

  // -- With the lock

  private var view: UnsafeMutablePointer<View> { current.pointee.load(ordering: .relaxed) }

  var applied: UInt64 {
    get { view.pointee.applied }
    set { view.pointee.setState(applied: newValue, isComplete: isComplete) }
  }

  var checkAt: Int64 {
    get { view.pointee.checkAt.load(ordering: .relaxed) }
    set { view.pointee.checkAt.store(newValue, ordering: .relaxed) }
  }

  var isComplete: Bool {
    get { view.pointee.isComplete }
    set { view.pointee.setState(applied: applied, isComplete: newValue) }
  }

  func entry(for key: HashedKey) -> UnsafePointer<Entry>? {
    view.pointee.find(key).entry.map { UnsafePointer($0) }
  }

  /// Has the processor fetch the key's slot, and later (once that is there) its entry: in a large
  /// table neither is in a cache, and there is other work to do meanwhile. The slot needs no lock.
  // Safety: the slots may be freed meanwhile, or be fewer; an address that is only fetched may be
  // any.
  @inline(__always)
  func fetchSlot(_ key: HashedKey) {
    let slot = View.first(key.hash, mask: fetchedMask.load(ordering: .relaxed))
    let offset = UInt(bitPattern: slot * MemoryLayout<View.Slot>.stride)
    strata_prefetch(
      UnsafeRawPointer(bitPattern: fetchedSlots.load(ordering: .relaxed) &+ offset))
  }

  @inline(__always)
  func fetchEntry(_ key: HashedKey) {
    strata_prefetch(
      view.pointee.slots[view.pointee.first(key.hash)].load(ordering: .relaxed))
  }

  /// Gives `key` a value, or notes that it has none.
  @inline(__always)
  func put(_ key: HashedKey, _ value: PropertyListValue?, isPending: Bool = false) {
    let entry = Entry.make(key, value, isPending: isPending, in: &blocks)
    let (slot, old) = view.pointee.find(key)
    view.pointee.slots[slot].store(entry, ordering: .releasing)
    // One thread at a time changes it, so that it takes no atomic addition.
    let growth = entry.pointee.size - (old?.pointee.size ?? 0)
    if growth != 0 {
      byteCount.store(byteCount.load(ordering: .relaxed) + growth, ordering: .relaxed)
    }
    if let old {
      oldEntries.append(UnsafeMutableRawPointer(old))
      if oldEntries.count >= freeAt { free() }
      return
    }
    count += 1
    if count * 2 > view.pointee.mask { resize(to: (view.pointee.mask + 1) * 2) }
  }

  // The same for a key's text, in one place: what goes by a hashed key is inlined wherever it is
  // called, with the hashing of the text.

  @inline(never)
  func entry(for key: String) -> UnsafePointer<Entry>? { HashedKey.with(key) { entry(for: $0) } }

  @inline(never)
  func put(_ key: String, _ value: PropertyListValue?, isPending: Bool = false) {
    HashedKey.with(key) { put($0, value, isPending: isPending) }
  }

  /// Makes room for `count` keys at once.
  func reserve(_ count: Int) {
    let size = Self.size(for: count)
    if size > view.pointee.mask + 1 { resize(to: size) }
  }

  private static func size(for count: Int) -> Int {
    var size = 16
    while count * 2 >= size { size *= 2 }
    return size
  }

  private func resize(to size: Int) {
    let slots = View.makeSlots(size)
    forEachEntry { entry in
      var slot = View.first(entry.pointee.hash, mask: size - 1)
      while slots[slot].load(ordering: .relaxed) != nil { slot = (slot + 1) & (size - 1) }
      slots[slot].store(entry, ordering: .relaxed)
    }
    view.pointee.ownsSlots = true
    replaceView(slots: slots, mask: size - 1)
  }

  /// Forgets every key. From now on readers take the lock, until `applied` is set again.
  func removeAll() {
    applied = 0
    if count == 0 { return }
    forEachEntry { oldEntries.append(UnsafeMutableRawPointer($0)) }
    byteCount.store(0, ordering: .relaxed)
    view.pointee.ownsSlots = true
    count = 0
    replaceView(slots: View.makeSlots(16), mask: 15)
    free()
  }

  /// Follows another word, or (nil) its own. Nothing is known of it yet: readers take the lock
  /// until `applied` is set.
  func follow(_ new: (any CoherenceWord)?) {
    applied = 0
    let old = source
    source = new
    replaceView(slots: view.pointee.slots, mask: view.pointee.mask)
    if let old { RetiredObjects.add(old) }  // readers may still load its word
    free()
  }

  /// Has readers take the lock while `body` puts here what is right only as a whole.
  /// - Parameter isNeeded: false where no word of a destroyed journal is followed: only such a one
  ///   can be 0, as if the table were up to date while nothing of it is known.
  func hidden<Result>(if isNeeded: Bool = true, while body: () -> Result) -> Result {
    if !isNeeded { return body() }
    let wasHidden = isHidden
    setHidden(true)
    defer { setHidden(wasHidden) }
    return body()
  }

  private func setHidden(_ isHidden: Bool) {
    self.isHidden = isHidden
    replaceView(slots: view.pointee.slots, mask: view.pointee.mask)
  }

  private func replaceView(slots: UnsafeMutablePointer<View.Slot>, mask: Int) {
    let old = view
    let source: any CoherenceWord = isHidden ? Self.hiddenWord : self.source ?? ownWord
    let new = UnsafeMutablePointer<View>.allocate(capacity: 1)
    new.initialize(
      to: View(
        word: source.word, applied: applied, isComplete: isComplete, slots: slots,
        mask: mask))
    new.pointee.checkAt.store(checkAt, ordering: .relaxed)
    current.pointee.store(new, ordering: .releasing)
    old.pointee.older = oldView
    oldView = old
    noteSlots()
  }

  func forEachEntry(_ body: (UnsafeMutablePointer<Entry>) -> Void) {
    let view = self.view
    for slot in 0...view.pointee.mask {
      if let entry = view.pointee.slots[slot].load(ordering: .relaxed) { body(entry) }
    }
  }

  func values() -> [String: PropertyListValue] {
    var values: [String: PropertyListValue] = [:]
    values.reserveCapacity(count)
    forEachEntry { entry in
      if let value = entry.pointee.value { values[Entry.key(of: entry)] = value }
    }
    return values
  }

  // -- What readers may still look at

  /// All entries, which stay allocated until `unpin`.
  func pinnedEntries() -> [UnsafeMutablePointer<Entry>] {
    pins += 1
    var entries: [UnsafeMutablePointer<Entry>] = []
    entries.reserveCapacity(count)
    forEachEntry { entries.append($0) }
    return entries
  }

  func unpin() {
    pins -= 1
    free()
  }
  func unpinAll() { pins = 0 }

  private func free() {
    guard pins == 0, Readers.haveLeft() else {
      freeAt = oldEntries.count + Self.oldEntriesMax
      return
    }
    freeAt = Self.oldEntriesMax
    // What the last bulk had is used by now, or of sizes that are not wanted.
    blocks.removeAll()
    for entry in oldEntries {
      Entry.free(entry.assumingMemoryBound(to: Entry.self), to: &blocks)
    }
    while let view = oldView {
      oldView = view.pointee.older
      if view.pointee.ownsSlots { view.pointee.slots.deallocate() }
      view.deinitialize(count: 1).deallocate()
    }
    oldEntries.removeAll(keepingCapacity: true)
    if count == 0 { blocks.removeAll() }
  }
}
