import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Writing the plist file while others write to the journal.
@Suite struct CheckpointTests {
  // S-6, S-7
  @Test func `sets of others at every look at the plist keep nobody from writing it`() throws {
    let place = try Place()
    let other = place.freshStore()
    let count = Guarded<Int64>(0)
    let failures = Guarded<[String]>([])
    let disk = LimitedDisk(didLook: { path in
      guard path == other.paths.plist else { return }
      let number = count.withLock { count in
        count += 1
        return count
      }
      do {
        try other.set(.integer(number), forKey: "other")
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    })
    let store = StorageProcess(on: disk, isAutomatic: false).store(at: place.paths)
    for round in Int64(1)...10 {
      try store.set(.integer(round), forKey: "mine")
      let outcome = store.checkpoint()
      #expect(outcome == .done, "round \(round)")
      #expect(try place.plistValues()?["mine"] == .integer(round))
    }
    let last = count.withLock { $0 }
    let errors = failures.withLock { $0 }
    #expect(place.freshValues() == ["mine": .integer(10), "other": .integer(last)])
    #expect(errors.isEmpty && last > 20)
  }
}
