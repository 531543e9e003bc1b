import StrataPropertyList
import StrataTesting
import Testing

/// That no input ends the process: sound files with random changes are read or refused.
struct MutationTests {
  // P-7
  @Test(arguments: PropertyListFormat.allCases, 0..<10)
  func `changed bytes are read or refused and never trap`(
    format: PropertyListFormat, seed: UInt64
  ) throws {
    var generator = ValueGenerator(seed: seed)
    if format == .xml { generator.limits.hasControlCharacters = false }
    let sound = try PropertyList.encode(.dictionary(generator.dictionary(depth: 2)), as: format)
    var random = SeededGenerator(seed: seed &+ 77)
    for _ in 0..<100 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...5, using: &random) { change(&bytes, using: &random) }
      _ = errorKind(bytes, as: format)
      _ = errorKind(bytes)
    }
  }

  private func change(_ bytes: inout [UInt8], using random: inout SeededGenerator) {
    guard let place = bytes.indices.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 2: bytes.remove(at: place)
    case 3: bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
    default: bytes.removeSubrange(place...)
    }
  }
}
