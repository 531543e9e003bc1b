import Foundation
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// What the records of a journal make of a domain, and what those are told who watch it.
@Suite struct AppliedScanTests {
  private func scan(_ changeSets: [ChangeSet]) -> JournalScan {
    let bytes = JournalBytes.encode(changeSets)
    return JournalScan(
      Array(bytes.dropFirst(JournalLayout.recordsStart)), offset: JournalLayout.recordsStart,
      of: nil)
  }

  private func content(_ values: [String: PropertyListValue]) -> DomainValues {
    let content = DomainValues(Table())
    content.apply(ChangeSet(setting: values, replacesAll: true))
    return content
  }

  private func changeSets(_ generator: inout ValueGenerator) -> [ChangeSet] {
    let keys = ["a", "b", "caf\u{E9}", "cafe\u{301}", "a key that is longer than fifteen bytes"]
    return (0..<Int.random(in: 1...30, using: &generator.random)).map { _ in
      let isWhole = generator.random.oneIn(10)
      let changes = (0..<Int.random(in: isWhole ? 0...3 : 1...3, using: &generator.random)).map {
        _ in
        Change(
          key: keys.randomElement(using: &generator.random) ?? "",
          value: generator.random.oneIn(4) ? nil : generator.value(depth: 1))
      }
      return ChangeSet(changes, replacesAll: isWhole)
    }
  }

  // S-2
  @Test(arguments: UInt64(1)...100)
  func `records make of a domain what their change sets do, without one that is outdated`(
    seed: UInt64
  ) {
    var generator = ValueGenerator(seed: seed)
    let before = Dictionary(generator.entries(3).map { ($0.key, $0.value) }) { $1 }
    let changeSets = changeSets(&generator)
    let scan = scan(changeSets)
    #expect(scan.count == changeSets.count, "seed \(seed)")
    let outdated = Int.random(in: 0...2 * scan.count, using: &generator.random)
    let (one, other) = (content(before), content(before))
    one.apply(scan, except: outdated < scan.count ? scan.ends[outdated] : nil)
    for (index, changes) in changeSets.enumerated() where index != outdated {
      other.apply(changes)
    }
    #expect(one.all() == other.all(), "seed \(seed)")
  }

  // S-8
  @Test(arguments: UInt64(1)...100)
  func `who watches is told of each key that records change, with its value before`(seed: UInt64) {
    var generator = ValueGenerator(seed: seed)
    var before = Dictionary(generator.entries(3).map { ($0.key, $0.value) }) { $1 }
    before["a"] = .integer(1)
    let changeSets = changeSets(&generator)
    let content = content(before)
    var watches = WatchList()
    _ = watches.add { _ in }
    watches.note(scan(changeSets), in: content)
    content.apply(scan(changeSets))
    var touched = Set(changeSets.flatMap(\.changes).map(\.key))
    if changeSets.contains(where: \.replacesAll) { touched.formUnion(before.keys) }
    let touches = watches.take(content).touches
    #expect(Set(touches.map(\.key)) == touched, "seed \(seed)")
    let after = content.all()
    for touch in touches {
      #expect(
        touch.old == before[touch.key] && touch.new == after[touch.key], "seed \(seed)")
    }
  }

  // S-23, S-11
  @Test func `a large domain that is emptied again and again is gone through once`() {
    let before =
      Dictionary(uniqueKeysWithValues: (0..<20_000).map { ("\($0)", .integer(1)) })
      as [String: PropertyListValue]
    let content = content(before)
    var watches = WatchList()
    _ = watches.add { _ in }
    let scan = scan((0..<20_000).map { _ in ChangeSet([], replacesAll: true) })
    watches.note(scan, in: content)
    content.apply(scan)
    #expect(watches.take(content).touches.count == 20_000)
  }

  // O-13
  @Test func `a value of too many levels is refused, however little stack there is`() async throws {
    let value = (0..<8_000).reduce(PropertyListValue.integer(1)) { value, _ in .array([value]) }
    let directory = TemporaryDirectory()
    let store = StorageProcess(on: SystemFileSystem(), isAutomatic: false, feedMode: .chosen)
      .store(at: StorePaths(identifier: "com.example.deep", in: directory.path))
    let text = await withCheckedContinuation { continuation in
      let thread = Thread {
        do throws(StorageError) {
          try store.set(value, forKey: "deep")
          continuation.resume(returning: "")
        } catch {
          continuation.resume(returning: error.description)
        }
      }
      thread.stackSize = 1 << 20
      thread.start()
    }
    #expect(text.contains("more than 511 levels"))
    withExtendedLifetime(value) {}
  }
}
