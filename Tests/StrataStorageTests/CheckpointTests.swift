import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
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

  // S-7, S-20
  @Test func `the flusher of one process lets another one finish what it writes`() throws {
    try meet { outcome, isListed in
      outcome == .done || outcome == .changed && isListed
    } acting: { other in
      try other.set(.integer(10), forKey: "other")
      // It finds changes that have waited for long.
      for second in [Int64(0), 20, 40] { _ = other.tick(now: second * 1_000_000_000) }
    }
  }

  // S-7, S-20
  @Test func `what the file holds is written, though the journal was compacted meanwhile`() throws {
    try meet { outcome, isListed in
      outcome == (isListed ? .done : .changed)
    } acting: { other in
      other.compact()
    }
  }

  /// Before each call of a checkpoint in turn, another process acts.
  /// - Parameter isRight: is told how the checkpoint ended, and whether what its process had set is
  ///   in the property list.
  private func meet(
    _ isRight: (CheckpointOutcome, Bool) -> Bool, acting act: @escaping (Store) throws -> Void
  ) throws {
    let paths = CrashScript.paths
    var (calls, chosen) = (0, 0)
    repeat {
      let machine = FaultMachine()
      machine.compactionSizeMin = 0
      let (store, other) = (machine.process().store(at: paths), machine.process().store(at: paths))
      for number in Int64(1)...9 { try other.set(.integer(number), forKey: "other") }
      try store.set(.integer(1), forKey: "own")
      calls = 0
      let pass = {
        calls += 1
        guard calls == chosen else { return }
        do { try act(other) } catch { Issue.record(error) }
      }
      machine.beforeCall = { _, _ in pass() }
      machine.beforeLook = { _ in pass() }
      let outcome = store.checkpoint()
      machine.beforeCall = nil
      machine.beforeLook = nil
      var isListed = false
      if let bytes = machine.names[paths.plist]?.durable,
        case .dictionary(let values) = try PropertyList.decode(bytes).value
      {
        isListed = values["own"] == .integer(1)
      }
      try #require(isRight(outcome, isListed), "\(outcome), call \(chosen) of \(calls)")
      chosen += 1
    } while chosen <= calls
    #expect(chosen > 10)
  }

  // S-4, S-7
  @Test func `a program that sets once makes no directory durable that others have`() throws {
    let place = try Place()
    for round in Int64(1)...3 {
      let directories = Guarded<[String]>([])
      let disk = InterruptedDisk(onDirectory: { path in directories.withLock { $0.append(path) } })
      let store = StorageProcess(on: disk, isAutomatic: false).store(at: place.paths)
      try store.set(.integer(round), forKey: "a")
      #expect(store.flush())
      let paths = [place.paths.directory, place.paths.hidden]
      let found = directories.withLock { $0 }
      if round > 1 { #expect(found == paths) } else { #expect(Set(found).count > 2) }
    }
  }

  enum Work: CaseIterable {
    case firstCheckpoint, checkpoint, set, synchronizing, edit
  }

  // S-3, S-7, S-8
  @Test(arguments: Work.allCases)
  func `a journal that loses its name while a process waits for the disk loses no value`(
    work: Work
  ) throws {
    var moment = 0
    var isOver = false
    while !isOver {
      moment += 1
      let intruder = try Intruder(at: moment)
      let store = StorageProcess(
        on: InterruptedDisk(whileWaiting: { intruder.act() }), isAutomatic: false
      ).store(at: intruder.place.paths)
      let keys = try perform(work, in: store, intruder)
      isOver = !intruder.end()
      // Both look, and bring over what the lost journal had.
      _ = (store.flush(), intruder.other.flush())
      let expected = (keys + (isOver ? [] : ["other"])).sorted()
      #expect(intruder.errors == [])
      #expect(
        intruder.place.freshValues().keys.sorted() == expected, "removed at wait \(moment)")
      // Those who were there learn of a journal that was removed by looking now and then.
      for there in [store, intruder.other] {
        #expect(holds(within: 600) { there.snapshot().values.keys.sorted() == expected })
      }
    }
    // A set waits for nothing.
    #expect((moment == 1) == (work == .set))
  }

  /// Sets, and does something that the intruder interrupts.
  /// - Returns: the keys that are set then.
  private func perform(_ work: Work, in store: Store, _ intruder: Intruder) throws -> [String] {
    if work == .firstCheckpoint {
      try store.set(.integer(1), forKey: "mine")
      intruder.begin()
      store.flush()
      return ["mine"]
    }
    try store.set(.integer(1), forKey: "old")
    #expect(store.flush() && intruder.other.integer(forKey: "old") == 1)
    switch work {
    case .set:
      intruder.begin()
      try store.set(.integer(1), forKey: "mine")
    case .synchronizing:
      try store.set(.integer(1), forKey: "mine")
      intruder.begin()
      #expect(store.synchronize())
    case .edit:
      let edited: [String: PropertyListValue] = ["old": .integer(1), "edited": .integer(1)]
      try intruder.place.exchange(
        intruder.place.plist, PropertyList.encode(.dictionary(edited), as: .xml))
      intruder.begin()
      try store.set(.integer(1), forKey: "mine")
      return ["old", "edited", "mine"]
    case .checkpoint, .firstCheckpoint:
      try store.set(.integer(1), forKey: "mine")
      intruder.begin()
      store.flush()
    }
    return ["old", "mine"]
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

  var errors: [String] { state.withLock(\.errors) }

  func begin() { state.withLock { $0.isCounting = true } }

  /// - Returns: whether it has acted.
  func end() -> Bool {
    state.withLock { state in
      state.isCounting = false
      return state.hasActed
    }
  }

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
