import Glibc
import StrataPropertyList
import StrataTesting
import Synchronization
import Testing

@testable import StrataStorage

/// What somebody plants in a directory of theirs for others who use it.
@Suite(
  .enabled(if: geteuid() == 0, "only root can act for other users, and give files to them"),
  .serialized, .waiting)
struct HostileHomeProcessSlowTests {
  typealias Spot = HostileHome.Spot
  typealias Plant = HostileHome.Plant

  private func use(_ store: Store) throws {
    _ = store.value(forKey: "theirs")
    try store.set(.integer(2), forKey: "new")
    _ = store.synchronize()
    _ = store.flush()
    try store.set(.integer(3), forKey: "new")
    _ = store.flush()
  }

  private func restore(in home: HostileHome) {
    let file = WholeFile(home.paths.hidden + "/restore")
    do {
      let lock = try ProcessLock(home.paths.hidden + "/restoring", patience: 0)
      try withExtendedLifetime(lock) {
        _ = try file.read()
        try file.replace(by: [1, 2, 3])
      }
    } catch {
      // What was planted there is refused.
    }
  }

  // S-12, S-22
  @Test(arguments: Spot.allCases, Plant.allCases)
  func `nothing of root's comes to harm by what is planted in a home`(
    spot: Spot, plant: Plant
  ) throws {
    if spot == .hidden || spot == .directory, plant.isHardLink { return }
    let home = try HostileHome()
    try use(home.store())  // now there are files of every kind
    restore(in: home)
    home.plant(plant, at: spot)
    let store = home.store()
    try use(store)
    restore(in: home)
    #expect(try home.harm(store) == [], "\(plant) as \(spot)")
    let isHarmless = [.draft, .successor, .restore, .restoring].contains(spot)
    if isHarmless, plant != .directory {
      #expect(store.issues == [])
      #expect(try home.place.bytes(of: home.paths.plist).isEmpty == false)
    } else if !isHarmless, plant != .directory || spot != .hidden && spot != .directory {
      #expect(store.issues.contains { $0.path.hasPrefix(home.paths.directory) }, "\(store.issues)")
    }
  }

  // S-22
  @Test(arguments: [Spot.plist, .draft, .hidden, .journal, .successor, .holders, .directory])
  func `nothing of root's comes to harm by what is planted between two calls`(spot: Spot) throws {
    var random = SeededGenerator(seed: UInt64.random(in: 0 ... .max))
    let seed = random
    var call = 0
    var isOver = false
    while !isOver {
      call += Int.random(in: 1...4, using: &random)
      let plants = Plant.allCases.filter { !$0.isHardLink || spot != .hidden && spot != .directory }
      let plant = plants.randomElement(using: &random) ?? .linkToSame
      let home = try HostileHome()
      try use(home.store())
      let at = call
      let bait = Bait { home.plant(plant, at: spot) }
      let counter = Counter()
      let store = home.store(
        on: InterruptedDisk { if counter.next() == at { bait.lay() } })
      try use(store)
      #expect(try home.harm(store) == [], "\(plant) as \(spot) before call \(at), \(seed)")
      isOver = counter.count < at
    }
    #expect(call > 30)
  }

  // S-22
  @Test(arguments: [Spot.hidden, .journal, .holders, .draft, .directory])
  func `nothing of root's comes to harm while names are exchanged all the time`(
    spot: Spot
  ) throws {
    let home = try HostileHome()
    try use(home.store())
    let path = home.path(of: spot)
    // Beside it, and of the same user, waits what leads to root's.
    home.plant(.linkToSame, at: spot)
    let isEnded = Ended()
    let other = path + ".other"
    let away = path + ".away"
    if access(away, F_OK) == 0 { rename(away, other) } else { close(creat(other, 0o600)) }
    lchown(other, HostileHome.user, HostileHome.user)
    let swapper = Thread.start {
      while !isEnded.isSet { _ = strataExchange(path, other) }
      isEnded.finish()
    }
    #expect(swapper)
    let end = monotonicSeconds() + 1
    var rounds = 0
    var last: Store?
    while monotonicSeconds() < end || rounds < 10 {
      let store = home.store()
      try use(store)
      last = store
      rounds += 1
    }
    isEnded.set()
    #expect(holds(within: 600) { isEnded.isFinished })
    #expect(try home.harm(last) == [], "\(rounds) rounds")
    print("hostile home: \(rounds) rounds while \(spot) was exchanged")
  }

  // S-22
  @Test(arguments: [Spot.plist, .draft, .hidden, .journal, .successor, .holders], Plant.allCases)
  func `nothing of a user's comes to harm by what another one plants`(
    spot: Spot, plant: Plant
  ) throws {
    if spot == .hidden, plant.isHardLink { return }
    for refused in ["", "refuse-resolution 38", "refuse-resolution 1"] {
      let home = try HostileHome(against: 4321, mode: 0o777)
      mkdir(home.paths.hidden, 0o777)
      chmod(home.paths.hidden, 0o777)
      home.plant(plant, at: spot)
      let probe = try Probe.serving(home.paths.plist)
      #expect(try probe.ask("become 4321") == "ok")
      if refused != "" { #expect(try probe.ask(refused) == "ok") }
      #expect(try probe.ask("get secret") == "nil")
      #expect(try probe.ask("get pending") == "nil")
      try probe.ask("set new 2")
      _ = try probe.ask("flush")
      #expect(try probe.finish() == .exited(0))
      #expect(try home.harm(nil) == [], "\(plant) as \(spot) \(refused)")
    }
  }
}

/// Something that is done from within another call.
private final class Bait: @unchecked Sendable {
  // Safety: called by the one thread that uses the disk.
  private let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }
  func lay() { body() }
}

private final class Counter: Sendable {
  private let number = Atomic<Int>(0)
  func next() -> Int { number.add(1, ordering: .relaxed).newValue }
  var count: Int { number.load(ordering: .relaxed) }
}

private final class Ended: Sendable {
  private let state = Atomic<Int>(0)
  var isSet: Bool { state.load(ordering: .acquiring) > 0 }
  var isFinished: Bool { state.load(ordering: .acquiring) > 1 }
  func set() { state.store(1, ordering: .releasing) }
  func finish() { state.store(2, ordering: .releasing) }
}

/// Has two names trade their files.
private func strataExchange(_ left: String, _ right: String) -> Bool {
  do throws(StorageError) {
    try SystemFileSystem().rename(left, to: right, .exchange)
    return true
  } catch {
    return false
  }
}
