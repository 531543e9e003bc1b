import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Several processes that write one domain at once.
@Suite(.serialized, .waiting) struct WritersProcessTests {
  // S-6
  @Test func `different keys of eight processes all survive`() throws {
    let place = try Place()
    let writers = try (0..<8).map { try Probe(["write-keys", place.plist, "\($0)", "500"]) }
    for writer in writers { #expect(try writer.line() == "ready") }
    for writer in writers { try writer.send("go") }
    for writer in writers { #expect(try writer.line(within: 600) == "done") }
    try expectAll(place.freshValues(), "while the writers live")
    for writer in writers { #expect(try writer.finish() == .exited(0)) }
    try expectAll(place.freshValues(), "after they ended")
    try expectAll(try #require(try place.plistValues()), "in the plist file alone")
    #expect(place.freshStore().issues == [])
  }

  private func expectAll(_ values: [String: PropertyListValue], _ moment: Comment) throws {
    #expect(values.count == 4_000, moment)
    for writer in 0..<8 {
      for index in 0..<500 where values["w\(writer).\(index)"] != .integer(Int64(index)) {
        Issue.record("w\(writer).\(index) is lost \(moment)")
        return
      }
    }
  }

  // S-6, S-2
  @Test func `all processes see the sets of one key in one order`() throws {
    let place = try Place()
    let count = 20_000
    let writers = try (1...4).map { try Probe(["contend", place.plist, "\($0)", "\(count)"]) }
    for writer in writers { #expect(try writer.line() == "ready") }
    for writer in writers { try writer.send("go") }
    for writer in writers { #expect(try writer.line(within: 600) == "written") }
    for writer in writers { try writer.send("stop") }
    var sequences: [[Int]] = []
    var last: Set<String> = []
    for writer in writers {
      sequences.append(try writer.line().split(separator: " ").compactMap { Int($0) })
      last.insert(try writer.line())
    }
    last.insert("\(place.freshStore().integer(forKey: "contended") ?? -1)")
    #expect(last.count == 1, "the processes end with \(last)")
    print("same key: observers saw \(sequences.map(\.count)) values of \(4 * count)")
    // What a writer sets is in the order in which it does.
    sequences += (1...4).map { writer in (0..<count).map { writer * 1_000_000 + $0 } }
    #expect(OneOrder.exists(for: sequences), "no one order has all these: \(sequences)")
  }

  @Test func `the check for one order finds two`() {
    #expect(OneOrder.exists(for: [[1, 2, 4], [1, 3, 4], [2, 3]]))
    #expect(!OneOrder.exists(for: [[1, 2, 3], [3, 1]]))
    #expect(!OneOrder.exists(for: [[1, 2, 1]]))
  }
}

/// Whether sequences of different numbers are all parts of one sequence.
enum OneOrder {
  static func exists(for sequences: [[Int]]) -> Bool {
    var followers: [Int: [Int]] = [:]
    var before: [Int: Int] = [:]
    for sequence in sequences {
      for number in sequence { before[number, default: 0] += 0 }
      for (number, next) in zip(sequence, sequence.dropFirst()) {
        followers[number, default: []].append(next)
        before[next, default: 0] += 1
      }
    }
    var ready = before.filter { $0.value == 0 }.map(\.key)
    var placed = 0
    while let number = ready.popLast() {
      placed += 1
      for next in followers[number] ?? [] {
        before[next, default: 0] -= 1
        if before[next] == 0 { ready.append(next) }
      }
    }
    return placed == before.count
  }
}
