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

  // S-7
  @Test func `files that change while the plist is written put it off by one look only`() {
    var pace = FlushPace()
    var now: Int64 = 0
    func look(_ pace: inout FlushPace) -> FlushPace.Action {
      now += Flusher.interval
      return pace.next(now: now, word: 1, isPending: true, isFull: false)
    }
    #expect(look(&pace) == .synchronize)
    for _ in 0..<10 {
      #expect(look(&pace) == .checkpoint)
      pace.finished(.changed, now: now)
    }
    #expect(look(&pace) == .checkpoint)
    pace.finished(.failed, now: now)
    #expect(look(&pace) == .wait, "a disk that refuses is given time")
  }

  // S-7
  @Test func `what is quiet is written within a second, what never is within ten`() {
    var quiet = FlushPace()
    #expect(
      quiet.next(now: Flusher.interval, word: 1, isPending: true, isFull: false) == .synchronize)
    #expect(
      quiet.next(now: 2 * Flusher.interval, word: 1, isPending: true, isFull: false) == .checkpoint)
    #expect(2 * Flusher.interval < 1_000_000_000)
    var busy = FlushPace()
    var now: Int64 = 0
    var word: UInt64 = 0
    repeat {
      now += Flusher.interval
      word += 1
    } while busy.next(now: now, word: word, isPending: true, isFull: false) == .synchronize
    #expect(now < 10_000_000_000)
  }
}
