import FleetAgent
import FleetModel
import RevisionedStore
import StrataDomains
import StrataPropertyList
import StrataTesting

@testable import FaultTesting
@testable import StrataStorage

/// A host with a disk, a clock and a connection of its own, whose agent does one thing at a time.
final class SimulatedHost {
  let name: String
  let os: String
  /// How far its clock is ahead.
  let skew: Double
  let client: InMemoryStore
  private let time: Guarded<Double>
  private(set) var disk: FaultHost
  private(set) var agent: Agent
  /// A program of the user's, with the domains that it has open.
  private var program: StorageProcess
  private var stores: [String: Store] = [:]
  /// The agent has all changes up to this revision; nil if it needs a snapshot.
  private(set) var position: Int64?
  /// Whether the agent wants other ranges since it last read any: these are read before anything is
  /// applied.
  private(set) var mustRead = false
  var isCut = false
  /// Whether the agent has died since it last did all that it has to.
  private(set) var isInterrupted = false

  init(_ name: String, os: String, skew: Double, _ client: InMemoryStore, _ time: Guarded<Double>) {
    self.name = name
    self.os = os
    self.skew = skew
    self.client = client
    self.time = time
    disk = FaultHost()
    program = disk.machine.process()
    agent = Self.start(name, os, skew, disk, time)
  }

  func userStore(_ domain: String) -> Store {
    if let store = stores[domain] { return store }
    let store = program.store(
      at: StorePaths(identifier: domain, in: FaultHost.home + "/.config/defaults"))
    stores[domain] = store
    return store
  }

  var now: Double { time.withLock { $0 } + skew }

  private static func start(
    _ name: String, _ os: String, _ skew: Double, _ disk: FaultHost, _ time: Guarded<Double>
  ) -> Agent {
    disk.agent(host: name, os: os) {
      PropertyListDate(secondsSinceReference: time.withLock { $0 } + skew)
    }
  }

  // -- What happens to it

  enum End: CaseIterable { case death, powerCut }

  /// Ends the agent, and starts it.
  func restart(_ end: End, _ random: inout SeededGenerator) {
    replace(by: Self.image(of: disk.machine, end, &random))
  }

  private func replace(by machine: FaultMachine) {
    disk = FaultHost(machine)
    program = machine.process()
    stores = [:]
    agent = Self.start(name, os, skew, disk, time)
    position = nil
    mustRead = false
  }

  private static func image(
    of machine: FaultMachine, _ end: End, _ random: inout SeededGenerator
  ) -> FaultMachine {
    switch end {
    case .death: machine.afterDeath()
    case .powerCut: machine.afterPowerCut(using: &random)
    }
  }

  /// Applies what the agent knows.
  func apply() {
    agent.apply()
    isInterrupted = false
  }

  /// Applies it too, but the agent dies before one of the disk operations, and is started.
  func applyPart(_ end: End, _ random: inout SeededGenerator) {
    let fatal = Int.random(in: 1...40, using: &random)
    var (calls, left, generator) = (0, FaultMachine?.none, random)
    disk.machine.beforeCall = { [disk] _, _ in
      calls += 1
      if calls == fatal { left = Self.image(of: disk.machine, end, &generator) }
    }
    agent.apply()
    disk.machine.beforeCall = nil
    random = generator
    guard let left else {
      isInterrupted = false
      return
    }
    isInterrupted = true
    replace(by: left)
  }

  // -- Following the store

  /// Has the agent take over what the store says, or a part of it.
  ///
  /// - Returns: whether the agent can apply what it knows.
  func follow(_ random: inout SeededGenerator) async throws -> Bool {
    let ranges = agent.state.ranges
    do throws(StoreError) {
      if let position {
        let batch = Self.part(of: try await firstBatch(ranges, after: position), &random)
        agent.adopt(batch)
        self.position = batch.revision
      } else {
        let snapshot = try await client.read(ranges)
        agent.adopt(snapshot)
        position = snapshot.revision
      }
    } catch {
      switch error {
      case .compacted: position = nil
      case .unavailable where isCut: break
      default: throw error
      }
      return false
    }
    mustRead = agent.state.ranges != ranges
    if mustRead { position = nil }
    return position != nil
  }

  private static func part(of batch: WatchBatch, _ random: inout SeededGenerator) -> WatchBatch {
    guard random.oneIn(3), let end = batch.events.randomElement(using: &random)?.revision else {
      return batch
    }
    return WatchBatch(revision: end, events: batch.events.filter { $0.revision <= end })
  }

  private func firstBatch(
    _ ranges: [KeyRange], after revision: Int64
  ) async throws(StoreError) -> WatchBatch {
    let first = Guarded<WatchBatch?>(nil)
    let watch = Task { [client] () -> StoreError in
      do throws(StoreError) {
        try await client.watch(ranges, after: revision) { batch in
          first.withLock { $0 = batch }
          withUnsafeCurrentTask { $0?.cancel() }
        }
      } catch {
        return error
      }
    }
    let error = await watch.value
    guard let batch = first.withLock({ $0 }) else { throw error }
    return batch
  }

  func report() async throws {
    if isCut { return }
    let status = StoreTransaction.Operation.put(
      key: FleetKey.status(name).text, value: try agent.status.bytes(of: name))
    _ = try await client.commit(StoreTransaction(operations: [status]))
  }
}
