import StrataTesting
import Testing

@testable import StrataStorage

/// What one process sees of another's sets.
@Suite(.serialized, .waiting) struct CoherenceProcessTests {
  // S-2
  @Test func `a read that starts after a set returned elsewhere sees it`() throws {
    let place = try Place()
    let first = try place.serve()
    let second = try place.serve()
    var stale: [String] = []
    for number in 0..<5_000 {
      for (writer, reader, key) in [(first, second, "a"), (second, first, "b")] {
        try writer.ask("set \(key) \(number)")
        let found = try reader.ask("get \(key)")
        if found != "\(number)" { stale.append("\(key): \(found) after \(number)") }
      }
    }
    #expect(stale.isEmpty, "\(stale.count) stale reads, first \(stale.first ?? "")")
  }

  // S-2, S-5
  @Test func `a process that only reads sees removals and large values too`() throws {
    let place = try Place()
    let writer = try place.serve()
    let reader = try place.serve()
    for length in [1, 1_000, 100_000, 1_000_000, 3] {
      #expect(try writer.ask("set-text text \(length)") == "ok")
      #expect(try reader.ask("get text").utf8.count == length)
    }
    try writer.ask("remove text")
    #expect(try reader.ask("get text") == "nil")
  }
}
