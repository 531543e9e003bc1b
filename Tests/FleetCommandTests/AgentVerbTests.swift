import CommandTesting
import DefaultsCommand
import FleetAgent
import FleetModel
import Foundation
import RevisionedStore
import StrataPropertyList
import StrataTesting
import Testing

@testable import FleetCommand

/// The verb `agent`, which runs the agent of a host.
struct AgentVerbTests {
  private let fixture: FleetFixture
  private let managed: String

  init() throws {
    fixture = try FleetFixture()
    managed = fixture.directory + "/system/managed/com.example.app.plist"
  }

  private func publish(_ value: Int) async throws {
    let file = try fixture.write(
      "all/com.example.app.plist", ["forced": ["x": .integer(Int64(value))]])
    await fixture.succeed("publish", file, "--reason", "a test", "--quiet")
  }

  private var value: PropertyListValue? {
    guard let data = FileManager.default.contents(atPath: managed) else { return nil }
    guard case .dictionary(let values) = try? PropertyList.decode([UInt8](data)).0 else {
      return nil
    }
    return values["x"]
  }

  private func agent(_ options: String...) -> [String] {
    ["agent", "--state", fixture.directory + "/state"] + options
  }

  // M-5
  @Test func `once, it applies what the store says, reports, and ends`() async throws {
    try await publish(1)
    let outcome = await fixture.run(agent("--once", "--host", "web1"), fixture.console())
    #expect(outcome.code == .success, "\(outcome)")
    #expect(value == .integer(1))
    #expect(
      outcome.errors.hasPrefix("time=2020-09-13 12:26:40 +0000 event=applied revision="),
      "\(outcome.errors)")
    let status = try #require(
      try await fixture.store.values.first { $0.key == FleetKey.status("web1").text })
    #expect(try HostStatus.decode(status.value, of: "web1").versions["all/com.example.app"] == 1)
  }

  // M-5
  @Test func `once without the store, it fails, and what was applied stays`() async throws {
    try await publish(1)
    _ = await fixture.run(agent("--once"), fixture.console())
    await fixture.store.goDown()
    try FileManager.default.removeItem(atPath: managed)
    let outcome = await fixture.run(agent("--once"), fixture.console())
    #expect(outcome.code == .failure && outcome.errors.contains("can't be reached"), "\(outcome)")
    #expect(value == .integer(1), "the file is made again from what is known")
  }

  // M-5
  @Test func `it runs until it is ended, and a hang-up has it connect anew`() async throws {
    try await publish(1)
    let console = fixture.console()
    console.environment["JOURNAL_STREAM"] = "8:1"
    console.ends = [.hangUp, .end]
    console.waiting = { [self] in while value != .integer(1) { usleep(1_000) } }
    let outcome = await fixture.run(
      agent("--metrics", fixture.directory + "/figures.prom"), console)
    #expect(outcome.code == .success, "\(outcome)")
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines.first == "<5>event=started revision=0")
    #expect(lines.contains("<5>event=reload"), "\(outcome.errors)")
    #expect(lines.last == "<5>event=ended")
    let figures = try String(
      contentsOfFile: fixture.directory + "/figures.prom", encoding: .utf8)
    #expect(figures.contains("\nstrata_fleet_policies 1\n"), "\(figures)")
  }

  // M-5
  @Test func `a service manager is told what the agent does`() async throws {
    let socket = try NotifySocket(fixture.directory + "/notify")
    let console = fixture.console()
    console.environment["NOTIFY_SOCKET"] = socket.path
    console.ends = [.hangUp, .end]
    console.waiting = { socket.awaitReady() }
    let outcome = await fixture.run(agent(), console)
    #expect(outcome.code == .success, "\(outcome)")
    let messages = socket.messages().filter { !$0.hasPrefix("STATUS=") && $0 != "WATCHDOG=1" }
    #expect(messages == ["READY=1", "RELOADING=1", "READY=1", "STOPPING=1"])
  }

  // M-5
  @Test func `a reload that is refused begins and ends for the service manager`() async throws {
    let socket = try NotifySocket(fixture.directory + "/notify")
    let console = fixture.console()
    console.environment["NOTIFY_SOCKET"] = socket.path
    console.ends = [.hangUp, .end]
    func set(_ words: String...) {
      _ = Program.run(
        ["write", "strata.fleet", "Endpoints"] + words, fixture.console(), fixture.surroundings)
    }
    set("-array", "https://a:1")
    console.waiting = {
      socket.awaitReady()
      set("-string", "https://a:1")
    }
    let outcome = await fixture.run(agent(), console, endpoint: [])
    #expect(outcome.code == .success, "\(outcome)")
    #expect(outcome.errors.contains("Endpoints in the domain strata.fleet is not an array"))
    let messages = socket.messages().filter { !$0.hasPrefix("STATUS=") && $0 != "WATCHDOG=1" }
    #expect(messages == ["READY=1", "RELOADING=1", "READY=1", "STOPPING=1"])
  }

  // M-5
  @Test func `an agent whose certificate can't be used yet applies what it knows`() async throws {
    try await publish(1)
    _ = await fixture.run(agent("--once"), fixture.console())
    try FileManager.default.removeItem(atPath: managed)
    let tries = Guarded(0)
    let console = fixture.console()
    console.waiting = { [self] in while value != .integer(1) { usleep(1_000) } }
    let code = await FleetProgram.run(
      agent() + ["--endpoint", "https://a:1"], console, fixture.surroundings
    ) { (_) throws(StoreError) in
      tries.withLock { $0 += 1 }
      throw .certificate("client.pem has expired")
    }
    #expect(code == .success && value == .integer(1))
  }

  // M-5
  @Test func `a host is not taken for another one because its name can't be read`() async throws {
    try await publish(1)
    let file = fixture.directory + "/system/strata.fleet.plist"
    try FileManager.default.createDirectory(
      atPath: fixture.directory + "/system", withIntermediateDirectories: true)
    try Data("{ Host = web1; }".utf8).write(to: URL(fileURLWithPath: file))
    #expect(await fixture.run(agent("--once"), fixture.console()).code == .success)
    let state = fixture.directory + "/state/state.plist"
    let before = FileManager.default.contents(atPath: state)
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: file)
    let outcome = await fixture.run(agent("--once"), fixture.console())
    #expect(outcome.code == .failure && outcome.errors.contains(file), "\(outcome)")
    #expect(FileManager.default.contents(atPath: state) == before)
    #expect(!FileManager.default.fileExists(atPath: state + ".unreadable"))
  }

  // M-12
  @Test(arguments: [
    (["--host", "../x"], "can't be the name of a host"),
    (["--state", "here"], "is not the absolute path of a directory"),
    (["--endpoint", "a:1"], "is not an endpoint"),
    (["--os", "a/b"], "can't be the name of an operating system"),
  ])
  func `what it can't work with is named`(_ options: [String], _ text: String) async throws {
    let outcome = await fixture.run(agent("--once") + options, fixture.console())
    #expect(outcome.code == .failure && outcome.errors.contains(text), "\(outcome)")
  }

  // M-12
  @Test func `a line of the log is a line, whatever the store says`() {
    let console = fixture.console()
    AgentLog(console).note(.problem("a\nevent=\"x\" \u{1B}[31m"))
    #expect(
      console.text(of: .error)
        == "time=2020-09-13 12:26:40 +0000 event=problem "
        + #"text="a\nevent=\"x\" \u{1B}[31m""# + "\n")
  }

  // M-5
  @Test func `people are those who can log in, and the system is known by its name`() {
    let passwd = """
      root:x:0:0:root:/root:/bin/bash
      daemon:x:1:1::/usr/sbin:/usr/sbin/nologin
      ann:x:1000:1000:Ann,,,:/home/ann:/bin/zsh
      bob:x:1001:1001::/home/bob:
      old:x:1002:1002::/home/old:/usr/sbin/nologin
      nobody:x:65534:65534::/:/bin/sh
      damaged:x:1003
      """
    #expect(HostFiles.people(Array(passwd.utf8)) == ["root", "ann", "bob"])
    #expect(HostFiles.operatingSystem(Array("NAME=\"D\"\nID=\"debian\"\n".utf8)) == "debian")
    #expect(HostFiles.operatingSystem(Array("VERSION_ID=1\n".utf8)) == nil)
  }
}

/// What a service manager listens to.
private final class NotifySocket: Sendable {
  let path: String
  private let file: Int32

  init(_ path: String) throws {
    self.path = path
    file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(code == 0)
  }

  deinit { close(file) }

  private let known = Guarded<[String]>([])

  /// All that has come so far.
  func messages() -> [String] {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    return known.withLock { known in
      while true {
        let count = recv(file, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0 { return known }
        known.append(String(decoding: buffer.prefix(count), as: UTF8.self))
      }
    }
  }

  /// Returns when the agent has said for the first time that it works.
  func awaitReady() { while !messages().contains("READY=1") { usleep(1_000) } }
}
