import CStrata
import StrataTesting
import Testing

@testable import StrataStorage

/// The memory of replaced entries.
@Suite(.enabled(if: !strata_is_sanitized, "under an address sanitizer none is kept"))
struct EntryBlocksTests {
  // S-3
  @Test(arguments: UInt64(1)...20)
  func `each block has the room that was asked for, and no other has it`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var blocks = EntryBlocks()
    var taken: [(block: UnsafeMutableRawPointer, size: Int, mark: UInt8)] = []
    let sizes = [1, 8, 23, 24, 25, 39, 40, 41, 56, 57, 263, 264, 265, 400]
    for round in 0..<20_000 {
      if taken.count < 100 || !taken.isEmpty && random.oneIn(2) == false {
        guard let size = sizes.randomElement(using: &random) else { continue }
        let entry = (blocks.take(size), size, UInt8(truncatingIfNeeded: round))
        entry.0.initializeMemory(as: UInt8.self, repeating: entry.2, count: size)
        taken.append(entry)
      } else {
        let last = taken.remove(at: Int.random(in: taken.indices, using: &random))
        let bytes = UnsafeRawBufferPointer(start: last.block, count: last.size)
        #expect(bytes.allSatisfy { $0 == last.mark }, "seed \(seed), round \(round)")
        blocks.give(last.block, last.size)
      }
    }
    for entry in taken { blocks.give(entry.block, entry.size) }
  }

  // S-23
  @Test func `as many are kept as are freed in one go, and none for good`() {
    var blocks = EntryBlocks()
    let taken = (0..<EntryBlocks.countMax + 100).map { _ in blocks.take(50) }
    for block in taken { blocks.give(block, 50) }
    #expect(blocks.count == EntryBlocks.countMax)
    let again = blocks.take(50)
    #expect(taken.contains(again) && blocks.count == EntryBlocks.countMax - 1)
    // One that has no list is not kept.
    blocks.give(blocks.take(EntryBlocks.sizeMax + 1), EntryBlocks.sizeMax + 1)
    #expect(blocks.count == EntryBlocks.countMax - 1)
    blocks.give(again, 50)
    blocks.removeAll()
    #expect(blocks.count == 0)
    blocks.give(blocks.take(50), 50)
    #expect(blocks.count == 1)
  }
}
