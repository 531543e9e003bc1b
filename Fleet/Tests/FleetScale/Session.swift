import CScale
import EtcdClient
import Foundation
import RevisionedStore

/// One run: the agents start, idle, get changes, lose the server, and get another change.
final class Session {
  private let options: Options
  private let server: Server
  private let store: EtcdStore
  private let report: Report

  init(_ options: Options) throws {
    self.options = options
    server = try Server(isEncrypted: options.isEncrypted, proxyCount: options.proxies)
    store = try EtcdStore(server.location())
    report = Report(options)
  }

  func run() async throws {
    defer { server.end() }
    try await awaitServer()
    let (before, own) = (try server.usage, try Usage.own)
    report.add("etcd without agents", before)
    let began = scale_now()
    let crowd: any Crowd =
      options.isReal ? try RealCrowd(options, server) : try SimulatedCrowd(options, server)
    try await until("follow", within: 120 + options.startSeconds) {
      crowd.followingCount == crowd.count
    }
    report.add("until all follow, s (started over \(options.startSeconds))", seconds(since: began))
    try await awaitReports(of: crowd)
    let after = try server.usage
    report.add("etcd with agents", after)
    report.add(
      "etcd per agent, KB", (after.megabytes - before.megabytes) * 1_024 / Double(crowd.count))
    report.add(
      "etcd for the start of an agent, ms of processor",
      (after.seconds - before.seconds) * 1_000 / Double(crowd.count))
    report.add(
      "agents, KB each", (try Usage.own.megabytes - own.megabytes) * 1_024 / Double(crowd.count))
    try await idle(crowd)
    try await change(crowd)
    if options.away > 0 { try await restart(crowd) }
  }

  private func awaitServer() async throws {
    try await until("answer") {
      do throws(StoreError) {
        _ = try await store.read([.key("ready")])
        return true
      } catch {
        return false
      }
    }
  }

  // -- Parts

  private func idle(_ crowd: any Crowd) async throws {
    let (before, own) = (try server.usage, try crowd.seconds)
    let time = options.agents < 1_000 ? 1.0 : 20
    try await Task.sleep(for: .seconds(time))
    let after = try server.usage
    report.add("etcd idle, % of a processor", (after.seconds - before.seconds) / time * 100)
    report.add("agents idle, % of a processor", (try crowd.seconds - own) / time * 100)
  }

  private func change(_ crowd: any Crowd) async throws {
    var (delays, lasts, afterReturn, reports): ([Double], [Double], [Double], [Double]) =
      ([], [], [], [])
    let (before, own) = (try server.usage, try crowd.seconds)
    for number in 0..<options.changes {
      let (start, end) = try await put(number, crowd)
      let times = crowd.changeTimes.map { Double($0 - start) / 1e6 }
      delays += times
      lasts.append(times.max() ?? .nan)
      afterReturn.append((times.max() ?? .nan) - Double(end - start) / 1e6)
      try await awaitReports(of: crowd)
      reports.append(seconds(since: start))
    }
    let count = Double(options.changes * crowd.count)
    let after = try server.usage
    report.add("put to an agent, ms", Distribution(delays))
    report.add("put to the last agent, ms", Distribution(lasts))
    report.add("put's return to the last agent, ms", Distribution(afterReturn))
    if options.spread > 0 { report.add("put to the last report, s", Distribution(reports)) }
    report.add(
      "etcd per change and agent, µs of processor",
      (after.seconds - before.seconds) * 1e6 / count)
    report.add(
      "agents per change and agent, µs of processor",
      (try crowd.seconds - own) * 1e6 / count)
    report.add("etcd after the changes", after)
  }

  /// Puts a change, and returns when each agent has it.
  private func put(_ number: Int, _ crowd: any Crowd) async throws -> (start: Int64, end: Int64) {
    let (before, start) = (crowd.changeCount, scale_now())
    try await commit(number)
    let end = scale_now()
    try await awaitChange(after: before, crowd)
    return (start, end)
  }

  /// Puts 200 bytes for all hosts.
  private func commit(_ number: Int) async throws {
    let value = [UInt8](repeating: UInt8(number & 0x7F), count: 200)
    _ = try await store.commit(
      StoreTransaction(
        operations: [.put(key: "/cfg/v1/live/all/com.example.app.json", value: value)]))
  }

  private func awaitChange(after before: Int, _ crowd: any Crowd) async throws {
    try await until("have a change") { crowd.changeCount >= before + crowd.count }
    guard crowd.changeCount == before + crowd.count else { throw Mistake("a change came twice") }
  }

  private func restart(_ crowd: any Crowd) async throws {
    let (attempts, own, changes) = (crowd.attemptCount, try crowd.seconds, crowd.changeCount)
    server.kill()
    try await Task.sleep(for: .seconds(options.away))
    try server.restart()
    try await awaitServer()
    let (start, missed) = (scale_now(), crowd.attemptCount - attempts)
    // Most are not back yet, and have to be told of it then.
    try await commit(options.changes)
    try await until("follow again", within: 180) { crowd.followingCount == crowd.count }
    let usage = try server.usage
    try await awaitChange(after: changes, crowd)
    let back = crowd.followTimes.map { Double($0 - start) / 1e9 }
    report.add(
      "attempts of an agent while the server is away", Double(missed) / Double(crowd.count))
    report.add(
      "attempts of an agent in all", Double(crowd.attemptCount - attempts) / Double(crowd.count))
    report.add("server's answer to an agent's return, s", Distribution(back))
    report.add("most returns within 0.1 s", Double(Report.most(of: back, within: 0.1)))
    report.add("etcd after the returns", usage)
    report.add("agents meanwhile, s of processor", try crowd.seconds - own)
    let (next, _) = try await put(options.changes + 1, crowd)
    report.add(
      "next put to the last agent, ms",
      Double((crowd.changeTimes.max() ?? 0) - next) / 1e6)
  }

  // -- Waiting

  private func awaitReports(of crowd: any Crowd) async throws {
    if options.spread <= 0 { return }
    try await until("report") { crowd.reportedCount == crowd.count }
  }

  private func seconds(since start: Int64) -> Double { Double(scale_now() - start) / 1e9 }

  /// - Throws: after a minute, if no other limit is given.
  private func until(
    _ what: String, within limit: Double = 60, _ isSo: () async throws -> Bool
  ) async throws {
    let start = scale_now()
    while try await !isSo() {
      guard seconds(since: start) < limit else { throw Mistake("not all \(what) in time") }
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}
