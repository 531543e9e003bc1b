import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Change sets as a journal's records hold them.
@Suite struct RecordReaderTests {
  private func bytes(_ changes: ChangeSet) -> [UInt8] {
    let count = RecordWriter.size(of: changes)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      guard let base = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
      var writer = RecordWriter(at: base)
      writer.put(changes)
      filled = base.distance(to: writer.end)
    }
  }

  /// What is read of the bytes, and whether they are taken for sound without making their values.
  private func read(_ bytes: [UInt8]) -> (changes: ChangeSet?, isSound: Bool) {
    bytes.withUnsafeBytes { raw in
      var (reader, skipping) = (RecordReader(raw), RecordReader(raw))
      return (reader.changes(), skipping.skip())
    }
  }

  private func changes(_ generator: inout ValueGenerator) -> ChangeSet {
    let changes = generator.entries(Int.random(in: 1...4, using: &generator.random)).map {
      Change(key: $0.key, value: generator.random.oneIn(4) ? nil : $0.value)
    }
    return ChangeSet(changes, replacesAll: generator.random.oneIn(4))
  }

  // S-3
  @Test(arguments: UInt64(1)...100)
  func `changes of any kind are read as they were written`(seed: UInt64) {
    var generator = ValueGenerator(seed: seed)
    let written = changes(&generator)
    let found = read(bytes(written))
    #expect(found.changes == written && found.isSound, "seed \(seed)")
  }

  // S-23, S-11
  @Test(arguments: UInt64(1)...100)
  func `bytes are taken for sound exactly if they can be read`(seed: UInt64) {
    var generator = ValueGenerator(seed: seed)
    let sound = bytes(changes(&generator))
    var soundCount = 0
    for _ in 0..<300 {
      var mutated = sound
      for _ in 0..<Int.random(in: 1...3, using: &generator.random) {
        let position = Int.random(in: mutated.indices, using: &generator.random)
        switch Int.random(in: 0..<4, using: &generator.random) {
        case 0: mutated[position] = UInt8.random(in: 0...255, using: &generator.random)
        // Kinds, types and small counts.
        case 1: mutated[position] = UInt8.random(in: 0...13, using: &generator.random)
        case 2: mutated.insert(mutated[position], at: position)
        default: if mutated.count > 1 { mutated.remove(at: position) }
        }
      }
      let found = read(mutated)
      #expect(found.isSound == (found.changes != nil), "seed \(seed): \(mutated)")
      if found.isSound { soundCount += 1 }
    }
    #expect(soundCount < 300, "seed \(seed)")
  }

  // S-23, S-11
  @Test func `as many containers inside of each other as are allowed are read, and no more`() {
    for (depth, isSound) in [(Limits.depthMax, true), (Limits.depthMax + 1, false)] {
      for tag in [ValueTag.array, .dictionary] {
        let item = tag == .array ? [tag.rawValue, 1] : [tag.rawValue, 1, 1, 0x6B]
        var payload: [UInt8] = [EditKind.set.rawValue, 1, 0x61]
        for _ in 0..<depth { payload += item }
        payload.append(ValueTag.true.rawValue)
        let found = read(payload)
        #expect(found.isSound == isSound && (found.changes != nil) == isSound, "\(depth) \(tag)")
      }
    }
  }
}
