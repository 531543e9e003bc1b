import ProgramTesting
import EtcdClient
import Foundation
import RevisionedStore
import class StrataDefaults.UserDefaults
import Synchronization
import Testing

/// From the administrator's command to the host, with a real etcd and real processes.
struct AgentProgramTests {
  // M-5, M-8
  @Test func `what is published is on the host, and status says so; rolled back, it is gone`()
    async throws
  {
    let fleet = try await Fleet()
    let agent = try fleet.startAgent()
    try fleet.run("enroll", "web1", "--group", "web")
    try fleet.publish(1)
    try await awaited { try fleet.number() == 1 ? true : nil }
    try await awaited { try fleet.run("status").contains("web1  up to date") ? true : nil }
    #expect(try fleet.run("doctor", "--json").contains("members"))
    try fleet.run("rollback", "all/com.example.app", "--reason", "that was it")
    try await awaited { FileManager.default.fileExists(atPath: fleet.managed) ? nil : true }
    agent.end()
  }

  // M-5
  @Test func `an agent that is killed again and again ends with what was published last`()
    async throws
  {
    let fleet = try await Fleet()
    for number in 1...8 {
      let agent = try fleet.startAgent()
      try fleet.publish(number)
      // It dies at another place each time: before, while or after it writes.
      try await Task.sleep(for: .milliseconds(15 * number))
      agent.end()
    }
    let agent = try fleet.startAgent()
    try await awaited { try fleet.number() == 8 ? true : nil }
    try await awaited { try fleet.run("status").contains("web1  up to date") ? true : nil }
    agent.end()
  }

  // M-5
  @Test func `while the server is away, what was applied stays, also after a restart`()
    async throws
  {
    let fleet = try await Fleet()
    var agent = try fleet.startAgent()
    try fleet.publish(1)
    try await awaited { try fleet.number() == 1 ? true : nil }
    fleet.server.kill()
    agent.end()
    try FileManager.default.removeItem(atPath: fleet.managed)
    agent = try fleet.startAgent()
    try await awaited { try fleet.number() == 1 ? true : nil }
    try fleet.server.start()
    _ = try await fleet.server.store()
    try fleet.publish(2)
    try await awaited { try fleet.number() == 2 ? true : nil }
    agent.end()
  }

  // M-3, M-5
  @Test func `a server that has lost its data is believed, as far as it is not older`()
    async throws
  {
    let fleet = try await Fleet()
    let agent = try fleet.startAgent()
    try fleet.publish(1)
    try await awaited { try fleet.number() == 1 ? true : nil }
    let store = try await fleet.server.store()
    for number in UInt8(0)..<50 {
      _ = try await store.commit(
        StoreTransaction(operations: [.put(key: "other", value: [number])]))
    }
    try fleet.server.wipe()
    try fleet.server.start()
    _ = try await fleet.server.store()
    try fleet.publish(2)
    try await awaited { try fleet.number() == 2 ? true : nil }
    agent.end()
  }

  // M-5
  @Test(.enabled(if: SeparateNetwork.isPossible, "needs root and namespaces"))
  func `a program without /proc says so, instead of being ended by the library of tasks`() throws {
    let script = #"mount --make-rprivate / && umount -l /proc && exec "$0" --help"#
    let error = #expect(throws: ChildProcess.Failed.self) {
      try Command.run("unshare", ["--mount", "sh", "-c", script, Fleet.program])
    }
    #expect(error?.description.contains("there is no /proc") == true, "\(error as Any)")
  }

  /// The versions are made before, and put as the command puts them: measured is the way from the
  /// store to the observer, and not how long a program takes to start.
  // M-5
  @Test func `what is published reaches the observer of a program that runs`() async throws {
    let fleet = try await Fleet()
    setenv("STRATA_SYSTEM_DIRECTORY", fleet.system, 1)
    var versions: [StoredValue] = []
    for number in 0...Self.count {
      try fleet.publish(number)
      versions.append(try #require(try await fleet.policy()))
    }
    let store = try await fleet.server.store()
    func put(_ version: StoredValue) async throws {
      _ = try await store.commit(
        StoreTransaction(operations: [.put(key: version.key, value: version.value)]))
    }
    try await put(versions[0])
    let agent = try fleet.startAgent()
    try await awaited { try fleet.number() == 0 ? true : nil }

    guard let defaults = UserDefaults(suiteName: "com.example.app") else {
      Issue.record("the domain can't be opened")
      return
    }
    let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
    let observation = defaults.observe("number", as: Int.self, options: .initial) { change in
      if let number = change.new { continuation.yield(number) }
    }
    var iterator = numbers.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    #expect(defaults.objectIsForced(forKey: "number"))
    var times: [Duration] = []
    for number in 1...Self.count {
      let start = ContinuousClock.now
      try await put(versions[number])
      while let found = await iterator.next(), found != number {}
      times.append(ContinuousClock.now - start)
    }
    observation.cancel()
    agent.end()
    times.sort()
    print(
      "published to observed: p50 \(times[times.count / 2]), p99 \(times[times.count * 99 / 100])")
  }

  private static let count = 100
}
