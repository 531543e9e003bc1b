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

  // S-3, S-7
  @Test(arguments: [false, true])
  func `a journal that loses its name while a checkpoint waits for the disk loses no value`(
    isFirst: Bool
  ) throws {
    var moment = 0
    var isOver = false
    while !isOver {
      moment += 1
      let intruder = try Intruder(at: moment)
      let store = StorageProcess(
        on: InterruptedDisk(whileWaiting: { intruder.act() }), isAutomatic: false
      ).store(at: intruder.place.paths)
      if !isFirst {
        try store.set(.integer(1), forKey: "old")
        #expect(store.flush() && intruder.other.integer(forKey: "old") == 1)
      }
      try store.set(.integer(1), forKey: "mine")
      intruder.begin()
      store.flush()
      isOver = !intruder.hasActed
      // Both look, and bring over what the lost journal had.
      _ = (store.flush(), intruder.other.flush())
      let keys = (isFirst ? [] : ["old"]) + ["mine"] + (isOver ? [] : ["other"])
      #expect(
        intruder.place.freshValues().keys.sorted() == keys.sorted(), "removed at wait \(moment)")
      // Those who were there learn of a journal that was removed by looking now and then.
      for there in [store, intruder.other] {
        #expect(holds(within: 600) { there.snapshot().values.count == keys.count })
      }
      #expect(intruder.errors == [])
    }
    #expect(moment > 4)
  }
}

/// Removes the journal at one moment of a process's work, and has another process set something,
/// into a journal of its own making.
private final class Intruder: Sendable {
  private struct State {
    var moment: Int
    var isCounting = false
    var hasActed = false
    var errors: [String] = []
  }

  // Safety: used by the thread of the test only.
  nonisolated(unsafe) let place: Place
  let other: Store
  private let paths: StorePaths
  private let state: Guarded<State>

  init(at moment: Int) throws {
    place = try Place()
    (other, paths) = (place.freshStore(), place.paths)
    state = Guarded(State(moment: moment))
  }

  var hasActed: Bool { state.withLock(\.hasActed) }
  var errors: [String] { state.withLock(\.errors) }

  func begin() { state.withLock { $0.isCounting = true } }

  func act() {
    let isNow = state.withLock { state in
      state.moment -= state.isCounting ? 1 : 0
      defer { if state.moment == 0 { (state.isCounting, state.hasActed) = (false, true) } }
      return state.isCounting && state.moment == 0
    }
    guard isNow else { return }
    do {
      try SystemFileSystem().remove(paths.journal)
      try other.set(.integer(1), forKey: "other")
    } catch {
      state.withLock { $0.errors.append("\(error)") }
    }
  }
}
