import CStrata

/// The memory of entries that were replaced, kept for the next ones: a set in place of another one
/// takes none from the C library, and gives none back.
///
/// Locking: the lock of the table's store.
struct EntryBlocks: ~Copyable {
  // Safety: a block lies in the list of its size, with the next one's address in its first word,
  // from `give` until `take`; only blocks from `take` are given, with the size they were taken for.
  /// None until a block is given: a program that only reads has none to keep.
  private var lists: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  private(set) var count = 0

  /// The sizes of the lists are those of which the C library's blocks are anyhow.
  private static let sizeMin = 24
  private static let sizeStep = 16
  private static let listCount = 16
  static let sizeMax = sizeMin + (listCount - 1) * sizeStep
  /// As many as are freed in one go; of a larger bulk, the rest goes back.
  static let countMax = 512

  deinit {
    free()
    lists?.deallocate()
  }

  /// Memory for so many bytes.
  @inline(__always)
  mutating func take(_ size: Int) -> UnsafeMutableRawPointer {
    let list = Self.list(size)
    if list < Self.listCount, let lists, let block = lists[list] {
      lists[list] = block.load(as: UnsafeMutableRawPointer?.self)
      count -= 1
      return block
    }
    // Where the address sanitizer watches, each entry has memory of its own, and no more.
    let whole = strata_is_sanitized ? size : Self.sizeMin + list * Self.sizeStep
    return .allocate(byteCount: whole, alignment: MemoryLayout<Entry>.alignment)
  }

  @inline(__always)
  mutating func give(_ block: UnsafeMutableRawPointer, _ size: Int) {
    let list = Self.list(size)
    if list >= Self.listCount || count >= Self.countMax || strata_is_sanitized {
      return block.deallocate()
    }
    let lists = self.lists ?? makeLists()
    block.storeBytes(of: lists[list], as: UnsafeMutableRawPointer?.self)
    lists[list] = block
    count += 1
  }

  mutating func removeAll() {
    if count == 0 { return }
    free()
    lists?.update(repeating: nil, count: Self.listCount)
    count = 0
  }

  @inline(never)
  private mutating func makeLists() -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
    let new = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: Self.listCount)
    new.initialize(repeating: nil, count: Self.listCount)
    lists = new
    return new
  }

  private func free() {
    guard let lists else { return }
    for list in 0..<Self.listCount {
      var next = lists[list]
      while let block = next {
        next = block.load(as: UnsafeMutableRawPointer?.self)
        block.deallocate()
      }
    }
  }

  @inline(__always)
  private static func list(_ size: Int) -> Int {
    max(0, size - sizeMin + sizeStep - 1) / sizeStep
  }
}
