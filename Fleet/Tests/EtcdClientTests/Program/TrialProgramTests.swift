import Foundation
import Testing
import ProgramTesting

/// `defaults fleet dev`, which runs all of it in a directory of its own.
struct TrialProgramTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Starts it, and waits until it has said what to type.
  private func start() async throws -> (program: ChildProcess, place: String) {
    let program = try ChildProcess(
      "/usr/bin/env", ["TMPDIR=\(directory.path)", "HOME=\(directory.path)", Fleet.program, "dev"],
      mergesErrors: true)
    var text = ""
    while !text.contains("event=started") {
      let more = program.output(untilNewline: true)
      if more.isEmpty { throw ChildProcess.Failed(description: text) }
      text += more
    }
    let place = try #require(names.first)
    return (program, directory(place))
  }

  private var names: [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory.path)
        .filter { $0.hasPrefix("defaults-fleet-") }
    } catch {
      return []
    }
  }

  /// Whether its etcd runs.
  private func isServing(_ place: String) throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").contains { name in
      guard Int(name) != nil,
        let words = FileManager.default.contents(atPath: "/proc/\(name)/cmdline"),
        let cwd = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(name)/cwd")
      else { return false }
      return cwd == place && words.starts(with: Data("etcd".utf8))
    }
  }

  // M-8
  @Test func `a policy can be published in it, and nothing is left of it`() async throws {
    let (program, place) = try await start()
    #expect(try isServing(place))
    try Command.run(
      "/bin/sh",
      [
        "-c", ". \"$1/environment\"; \"$2\" publish \"$1/policies\" --reason 'a first policy'",
        "sh", place, Fleet.program,
      ])
    let managed = place + "/system/managed/com.example.greeter.plist"
    try await awaited { FileManager.default.fileExists(atPath: managed) ? true : nil }
    kill(program.identifier, SIGTERM)
    close(program.connection)
    #expect(program.wait())
    #expect(names == [])
    #expect(try !isServing(place))
  }

  // M-8
  @Test func `it can be ended while its server starts`() async throws {
    let program = try start(withServer: ": >../started; exec sleep 600")
    try await awaited {
      FileManager.default.fileExists(atPath: directory("started")) ? true : nil
    }
    let start = ContinuousClock.now
    kill(program.identifier, SIGINT)
    #expect(try await onOwnThread { program.wait() })
    close(program.connection)
    // It is waited for five minutes for the server.
    #expect(ContinuousClock.now - start < .seconds(200))
    #expect(names == [])
  }

  // M-8
  @Test func `a server that can't start is said at once, with its reason`() async throws {
    let program = try start(withServer: "echo no disk today; exit 1")
    let start = ContinuousClock.now
    let text = try await onOwnThread { program.output(untilNewline: false) }
    #expect(try await onOwnThread { !program.wait() })
    close(program.connection)
    #expect(text.contains("no disk today"), "\(text)")
    #expect(ContinuousClock.now - start < .seconds(200))
    #expect(names == [])
  }

  /// Starts it with a script instead of an etcd.
  private func start(withServer script: String) throws -> ChildProcess {
    // The shell writes it: a descriptor of this process, open for writing, could be inherited by
    // what another test starts, and what is open for writing can't be run.
    try Command.run(
      "/bin/sh",
      [
        "-c", #"printf '#!/bin/sh\n%s\n' "$2" >"$1" && chmod 755 "$1""#, "sh", directory("etcd"),
        script,
      ])
    let path = directory.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")
    return try ChildProcess(
      "/usr/bin/env",
      [
        "TMPDIR=\(directory.path)", "HOME=\(directory.path)", "PATH=\(path)", Fleet.program, "dev",
      ], mergesErrors: true)
  }

  // M-8
  @Test func `its server ends even when it is killed`() async throws {
    let (program, place) = try await start()
    kill(program.identifier, SIGKILL)
    close(program.connection)
    _ = program.wait()
    try await awaited { try isServing(place) ? nil : true }
  }
}
