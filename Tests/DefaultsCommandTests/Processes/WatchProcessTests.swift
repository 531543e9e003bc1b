import Foundation
import StrataPropertyList
import StrataTesting
import Testing

@testable import DefaultsCommand

/// Watching from a process of its own.
@Suite(.waiting) struct WatchProcessTests {
  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
    fixture.succeed("write", "t", "{k = before;}")
  }

  /// Starts a watch, and returns when it has told what is written last.
  private func watch(_ arguments: String...) throws -> CommandProcess {
    try watch(arguments: arguments)
  }

  private func watch(arguments: [String]) throws -> CommandProcess {
    let process = try CommandProcess(in: fixture, ["watch"] + arguments)
    for turn in 0... {
      fixture.succeed("write", "t", "k", "turn\(turn)")
      if process.line(within: 0.1) != nil { break }
    }
    fixture.succeed("write", "t", "k", "last")
    while let line = process.line(), !line.contains("last") {}
    return process
  }

  // C-21
  @Test func `each write by another process is shown, with what was there before`() throws {
    let process = try watch("t", "k")
    var old = "last"
    for turn in 0..<15 {
      let new = "value\(turn)"
      #expect(try CommandProcess.run(fixture, "write", "t", "k", new).code == 0)
      #expect(process.line() == "t k = \"\(new)\"  (was \"\(old)\")")
      old = new
    }
    process.send(SIGINT)
    #expect(try process.result().code == 0)
  }

  // C-21
  @Test func `with --json each change is an object on a line`() throws {
    let process = try watch("t", "--json")
    fixture.succeed("write", "t", "n", "-int", "5")
    let line = try #require(process.line())
    let object = try PropertyList.decode(Array(line.utf8), as: .json)
    guard case .dictionary(let change) = object else {
      Issue.record("\(line)")
      return
    }
    #expect(change["domain"] == .string("t"))
    #expect(change["key"] == .string("n"))
    #expect(change["new"] == .integer(5))
    #expect(change["old"] == nil)
    #expect(change["time"] != nil)
    process.send(SIGTERM)
    #expect(try process.result().code == 0)
  }

  // C-21
  @Test func `removals, other places and edits by hand are shown`() throws {
    let process = try watch("t")
    fixture.succeed("write", "-g", "global", "x")
    #expect(process.line() == "t global = \"x\"  (was nothing)")
    let onHost = ["-currentHost", "write", "t", "host", "-bool", "yes"]
    #expect(try CommandProcess(in: fixture, onHost).result().code == 0)
    #expect(process.line() == "t host = true  (was nothing)")
    fixture.succeed("delete", "-g", "global")
    #expect(process.line() == "t global removed  (was \"x\")")
    try fixture.write(Array("{k = edited;}".utf8), to: ".config/defaults/t.plist", mode: 0o600)
    #expect(process.line()?.hasPrefix("t k = \"edited\"") == true)
  }

  // C-21
  @Test func `without a domain all are watched, also those that come later`() throws {
    let process = try watch()
    fixture.succeed("write", "fresh", "a", "1")
    #expect(process.line() == "fresh a = \"1\"  (was nothing)")
    fixture.succeed("write", "t", "b", "2")
    #expect(process.line() == "t b = \"2\"  (was nothing)")
    fixture.succeed("write", "fresh", "a", "3")
    #expect(process.line() == "fresh a = \"3\"  (was \"1\")")
  }

  // C-21, O-6
  @Test func `domains that come while it can open no file are shown once it can`() throws {
    let process = try watch()
    try limitFiles(of: process, to: 3)
    fixture.succeed("write", "fresh", "a", "1")
    #expect(process.line(within: 1) == nil)
    try limitFiles(of: process, to: 100)
    #expect(process.line() == "fresh a = \"1\"  (was nothing)")
  }

  /// The soft limit, which may be lifted again.
  private func limitFiles(of process: CommandProcess, to count: Int) throws {
    let tool = Process()
    tool.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
    tool.arguments = ["--pid", "\(process.process.processIdentifier)", "--nofile=\(count):"]
    try tool.run()
    tool.waitUntilExit()
    try #require(tool.terminationStatus == 0)
  }

  // C-21
  @Test func `without a domain changes for this host are shown, and marked`() throws {
    let process = try watch()
    fixture.succeed("write", "t", "k", "other")
    #expect(process.line() == "t k = \"other\"  (was \"last\")")
    let onHost = ["-currentHost", "write", "t", "k", "here"]
    #expect(try CommandProcess(in: fixture, onHost).result().code == 0)
    #expect(process.line() == "t (this host) k = \"here\"  (was nothing)")
    #expect(try CommandProcess.run(fixture, "-currentHost", "delete", "t").code == 0)
    #expect(process.line() == "t (this host) k removed  (was \"here\")")
    let json = try CommandProcess(in: fixture, ["-currentHost", "watch", "--json"])
    for turn in 0... {
      _ = try CommandProcess.run(fixture, "-currentHost", "write", "t", "k", "turn\(turn)")
      guard let line = json.line(within: 0.1) else { continue }
      #expect(line.contains("\"host\": \""), "\(line)")
      break
    }
  }

  // C-21, C-27
  @Test func `it ends when nobody reads any more`() throws {
    let process = try watch("t")
    try process.closeOutput()
    process.process.waitUntilExit()
    #expect(process.process.terminationStatus == 0)
    #expect(process.process.terminationReason == .exit)
  }

  // C-21, D-8
  @Test func `of two names that look alike both are watched`() throws {
    let process = try watch()
    for name in ["caf\u{E9}", "cafe\u{301}", "caf\u{E9}", "cafe\u{301}"] {
      fixture.succeed("write", name, "k", UUID().uuidString)
      #expect(process.line()?.utf8.starts(with: "\(name) k = ".utf8) == true)
    }
  }

  // C-21, O-6, S-8
  @Test(arguments: [[], ["t", "k"]])
  func `it goes on in a new directory when the old one was taken away`(
    arguments: [String]
  ) throws {
    let process = try watch(arguments: arguments)
    let config = fixture.directory + "/.config"
    for turn in 0..<3 {
      let old = turn == 1 ? fixture.userDirectory : config
      try FileManager.default.moveItem(atPath: old, toPath: fixture.directory + "/old\(turn)")
      #expect(try CommandProcess.run(fixture, "write", "t", "k", "turn\(turn)").code == 0)
      while let line = process.line(within: 600), !line.hasPrefix("t k = \"turn\(turn)\"") {}
      #expect(try CommandProcess.run(fixture, "write", "t", "k", "next\(turn)").code == 0)
      #expect(process.line(within: 600) == "t k = \"next\(turn)\"  (was \"turn\(turn)\")")
    }
    process.send(SIGINT)
    #expect(try process.result().code == 0)
  }
}
