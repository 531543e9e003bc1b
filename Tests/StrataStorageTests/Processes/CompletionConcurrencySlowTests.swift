import CStrata
import StrataPropertyList
import StrataTesting
import Synchronization
import Testing

@testable import StrataStorage

/// Reads without a lock while another thread takes in what is left of the property list.
struct CompletionConcurrencySlowTests {
  private static let rounds = 20_000

  // S-1
  @Test func `a key of the property list is never read as missing while the rest is taken in`()
    throws
  {
    let values = Dictionary(uniqueKeysWithValues: (0..<40).map { ("key\($0)", Self.value) })
    let bytes = PlistFile.encode(values, as: .binary)
    guard case .intact(let index) = CheckedPlist.inspect(bytes) else {
      Issue.record("what was encoded is not intact")
      return
    }
    let reading = PlistReading(status: nil, identity: .unknown, content: .intact(index))
    let complaints = Guarded<[Int]>([])
    let content = Guarded<DomainValues?>(nil)
    let begun = Atomic<Int>(0)
    let ended = Atomic<Int>(0)
    inParallel(2) { thread in
      for round in 1...Self.rounds {
        if thread == 0 {
          let new = Self.incomplete(reading)
          content.withLock { $0 = new }
          begun.store(round, ordering: .releasing)
          for _ in 0..<round % 64 { strata_pause() }
          new.takeInBase()
          while ended.load(ordering: .acquiring) < round { strata_yield() }
        } else {
          var spins = 0
          while begun.load(ordering: .acquiring) < round {
            spins += 1
            if spins % 1_000 == 0 { strata_yield() } else { strata_pause() }
          }
          guard let table = content.withLock({ $0?.table }) else { return }
          var found: PropertyListValue??
          while found == nil { found = table.cachedValue("key20") { $0?.pointee.value } }
          if found != Self.value { complaints.withLock { $0.append(round) } }
          ended.store(round, ordering: .releasing)
        }
      }
    }
    #expect(complaints.withLock { $0.prefix(5) } == [])
  }

  private static let value = PropertyListValue.integer(7)

  /// The values of a property list that is read key by key, with room for all of them.
  private static func incomplete(_ reading: PlistReading) -> DomainValues {
    let content = DomainValues(Table())
    content.replace(with: reading)
    content.table.reserve(200)
    content.table.checkAt = .max
    content.table.applied = LocalWord.value
    return content
  }
}
