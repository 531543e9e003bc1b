import StrataPropertyList
import StrataTesting

@testable import FaultTesting
@testable import StrataStorage

/// A random life of a domain that two processes use, with the states that it may be found in.
final class CrashScript {
  let seed: UInt64
  let machine: FaultMachine
  static let paths = StorePaths(identifier: "com.example.crash", in: "/home/defaults")

  /// What was asked for, in order: the state after each request that returned, and how many of them
  /// a power cut can't undo.
  private(set) var states: [[String: PropertyListValue]]
  private(set) var inFlight: [String: PropertyListValue]?
  private(set) var synced = 0

  private var generator: SeededGenerator
  private let stores: [Store]
  private let keys = ["a", "b", "c", "d", "ключ", "a longer key than fits"]
  private var counter: Int64

  /// - Parameters:
  ///   - start: what the domain holds on this machine.
  ///   - secondBoot: what the second process takes for the boot id; nil stands for the machine's.
  init(
    seed: UInt64, on machine: FaultMachine = FaultMachine(),
    from start: [String: PropertyListValue] = [:], secondBoot: UInt64? = nil
  ) {
    self.seed = seed
    self.machine = machine
    states = [start]
    generator = SeededGenerator(seed: seed)
    counter = Int64(seed % 1_000) * 1_000
    let first = machine.process()
    let second = machine.process(boot: secondBoot)
    stores = [first.store(at: Self.paths), second.store(at: Self.paths)]
    for store in stores {
      store.step = { [machine] step in machine.note("append \(step)") }
    }
  }

  func run(steps: Int) throws {
    for _ in 0..<steps {
      let store = stores[Int.random(in: 0..<2, using: &generator)]
      switch Int.random(in: 0..<20, using: &generator) {
      case 0..<9: try set(store)
      case 9..<11: try remove(store)
      case 11..<14: try group(store)
      case 14: try replaceAll(store)
      case 15..<17: synchronize(store)
      default: store.flush()
      }
    }
  }

  private func value() -> PropertyListValue {
    counter += 1
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return .string("value \(counter)")
    case 1: return .array([.integer(counter), .boolean(true)])
    case 2: return .data([UInt8](repeating: UInt8(counter & 0xFF), count: Int(counter % 700)))
    default: return .integer(counter)
    }
  }

  private func request(
    _ changes: ChangeSet, _ perform: () throws -> Void
  ) rethrows {
    var next = states[states.count - 1]
    if changes.replacesAll { next.removeAll() }
    for change in changes.changes { next[change.key] = change.value }
    inFlight = next
    try perform()
    states.append(next)
    inFlight = nil
  }

  private func set(_ store: Store) throws {
    let change = Change(key: keys.randomElement(using: &generator) ?? "a", value: value())
    try request(ChangeSet([change])) { try store.set(change.value, forKey: change.key) }
  }

  private func remove(_ store: Store) throws {
    let change = Change(key: keys.randomElement(using: &generator) ?? "a", value: nil)
    try request(ChangeSet([change])) { try store.set(nil, forKey: change.key) }
  }

  private func group(_ store: Store) throws {
    let value = value()
    let changes = ChangeSet(["g1", "g2", "g3"].map { Change(key: $0, value: value) })
    try request(changes) { try store.apply(changes) }
  }

  private func replaceAll(_ store: Store) throws {
    let changes = ChangeSet([Change(key: "only", value: value())], replacesAll: true)
    try request(changes) { try store.apply(changes) }
  }

  private func synchronize(_ store: Store) {
    let count = states.count - 1
    if store.synchronize() { synced = count }
  }
}

extension FaultMachine {
  /// A moment that is no call, but at which a process can die as well.
  func note(_ moment: String) {
    do { try step(moment, -1) } catch {}
  }
}
