import Foundation
import StrataTesting
import Testing

/// Which domain is a program's own, and what can't be one, in fresh processes.
@Suite(.waiting) struct IdentifierProcessTests {
  private let fixture: DefaultsFixture

  init() throws { fixture = try DefaultsFixture() }

  // D-7
  @Test func `the identifier is from the environment, else the executable's name`() throws {
    let variable = "STRATA_APPLICATION_ID"
    for (value, expected) in [
      ("com.example.env", "com.example.env"), (nil, "DomainsProbe"), ("", "DomainsProbe"),
      (".a", ".a"), ("NSGlobalDomain", "DomainsProbe"), ("/tmp/list", "DomainsProbe"),
    ] {
      let answers = try DomainsProcess.answers(
        in: fixture, "identifier", "set key x", "sync", environment: [variable: value])
      #expect(answers == [expected, "ok", "true"])
      let file = expected == ".a" ? "%2Ea" : expected
      let plist = fixture.userDirectory + "/\(file).plist"
      #expect(FileManager.default.fileExists(atPath: plist))
    }
  }

  // D-7
  @Test func `the identifier of a bundle goes before the environment`() throws {
    let answers = try answers(
      of: "Sample.app/Contents/Linux/Sample", beside: "Sample.app/Contents/Info.plist")
    #expect(answers == ["com.example.bundle", "com.example.bundle"])
  }

  // D-7
  @Test(arguments: [
    ("bin/Sample", "bin/Info.plist", true), ("bin/Sample", "bin/Contents/Info.plist", true),
    ("bin/Sample", "bin/Resources/Info.plist", true),
    ("bin/Sample", "bin/Support Files/Info.plist", true),
    ("A.app/Linux/Sample", "A.app/Info.plist", false),
    ("A.app/Linux/Sample", "A.app/Linux/Info.plist", false),
    ("A.app/Support Files/Executables/Linux/Sample", "A.app/Support Files/Info.plist", true),
    ("A.app/Contents/MacOS/Sample", "A.app/Contents/Info.plist", false),
    ("bin/Sample", "bin/info.plist", false), ("bin/Sample", "bin/Info-linux.plist", false),
    ("bin/Sample", "bin/Sample.resources/Info.plist", false),
    ("bin/Sample", "share/Sample.resources/Info.plist", false),
    ("bin/Sample", "share/Info.plist", false), ("bin/Sample", "Info.plist", false),
  ])
  func `a bundle is one wherever Foundation finds it`(
    program: String, list: String, isBundle: Bool
  ) throws {
    let answers = try answers(of: program, beside: list)
    let bundle = ["com.example.bundle", "com.example.bundle"]
    #expect(answers == (isBundle ? bundle : ["none", DefaultsFixture.identifier]))
  }

  // D-7
  @Test func `a wrapped bundle is one if it is one to Foundation`() throws {
    try FileManager.default.createDirectory(
      atPath: fixture.directory + "/A.app/Wrapper", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: fixture.directory + "/A.app/WrappedBundle",
      withDestinationPath: "Wrapper/B.app")
    let answers = try answers(of: "A.app/Sample", beside: "A.app/Wrapper/B.app/Info.plist")
    #expect(answers[1] == (answers[0] == "none" ? DefaultsFixture.identifier : answers[0]))
  }

  /// What Foundation says of the bundle of a copy of the program, and our identifier.
  private func answers(of program: String, beside list: String) throws -> [String] {
    let (program, list) = (fixture.directory + "/" + program, fixture.directory + "/" + list)
    for file in [program, list] {
      try FileManager.default.createDirectory(
        at: URL(fileURLWithPath: file).deletingLastPathComponent(),
        withIntermediateDirectories: true)
    }
    try ListFile.write(
      ["CFBundleIdentifier": "com.example.bundle", "CFBundleExecutable": "Sample"], to: list)
    try ProgramFile.copy(DomainsProcess.program, to: program)
    return try DomainsProcess(in: fixture, ["bundle", "identifier"], program: program).result()
      .answers
  }

  // D-7
  @Test func `code can choose the identifier before anything is used`() throws {
    let answers = try DomainsProcess.answers(
      in: fixture, "choose com.example.chosen", "identifier", "set key x", "sync",
      "choose com.example.chosen")
    #expect(answers == ["ok", "com.example.chosen", "ok", "true", "ok"])
    let plist = fixture.userDirectory + "/com.example.chosen.plist"
    #expect(FileManager.default.fileExists(atPath: plist))
  }

  // D-7
  @Test(arguments: ["identifier", "get key", "suite other", "new key"])
  func `to choose the identifier after the first use is a trap`(use: String) throws {
    let text = try #require(
      try DomainsProcess.trap(in: fixture, use, "choose com.example.late"))
    #expect(text.contains("cannot be set to \"com.example.late\""))
    #expect(text.contains("used as \"com.example.app\"; set it before anything else"))
  }

  // D-7, D-8
  @Test(arguments: ["NSGlobalDomain", "/tmp/list"])
  func `an identifier that can't be one is a trap`(name: String) throws {
    let text = try #require(try DomainsProcess.trap(in: fixture, "choose \(name)"))
    #expect(text.contains("can't name a domain"))
    #expect(!text.contains("set-user-ID"))
  }

  // D-6
  @Test func `an object without a suite is a new one with the application's list`() throws {
    let answers = try DomainsProcess.answers(
      in: fixture, "set key value", "suiteless key", "new key", "suiteless argument",
      arguments: ["-argument", "yes"])
    #expect(answers == ["ok", "value", "value", "yes"])
  }

  // D-6
  @Test func `a suite has no object for the global domain and the application's own`() throws {
    let result = try DomainsProcess(
      in: fixture, ["suite NSGlobalDomain", "suite com.example.app", "suite com.example.other"]
    ).result()
    #expect(result.answers == ["nil", "nil", "ok"])
    #expect(result.log.count == 2)
    for name in ["NSGlobalDomain", "com.example.app"] {
      #expect(result.log.contains { $0.contains("UserDefaults(suiteName: \"\(name)\") is nil") })
    }
  }

  // D-8
  @Test func `what can't name a domain has no object and the log says why`() throws {
    let names = ["/", "/..", "/" + String(repeating: "x", count: 201)]
    let result = try DomainsProcess(
      in: fixture, names.map { "suite \($0)" } + ["empty-suite"]
    ).result()
    #expect(result.answers == names.map { _ in "nil" } + ["nil"])
    #expect(result.log.count == names.count + 1)
    #expect(result.log.allSatisfy { $0.contains("can't name a domain") })
    let left = try FileManager.default.contentsOfDirectory(atPath: fixture.directory)
    #expect(left.filter { !$0.hasPrefix("lines-") && $0 != ".config" } == [])
  }

  // D-8
  @Test(arguments: [
    "add /", "persistent /..", "set-persistent / key value", "remove-persistent /.",
  ])
  func `calls for domains trap where a name can't be one`(line: String) throws {
    let text = try #require(try DomainsProcess.trap(in: fixture, line))
    #expect(text.contains("can't name a domain"))
  }

  // D-14
  @Test(arguments: [
    "set-persistent NSArgumentDomain key value", "set-persistent NSRegistrationDomain key value",
    "remove-persistent NSLanguageDomain",
  ])
  func `a volatile domain can't become a persistent one`(line: String) throws {
    let text = try #require(try DomainsProcess.trap(in: fixture, line))
    let name = line.split(separator: " ")[1]
    #expect(
      text.contains(
        "cannot create persistent domain \(name). Volatile domain \(name) already exists."))
  }

  // D-4
  @Test func `to add the own domain or the global one is told in the log`() throws {
    let result = try DomainsProcess(
      in: fixture, ["add NSGlobalDomain", "add com.example.app", "add com.example.suite"]
    ).result()
    #expect(result.answers == ["ok", "ok", "ok"])
    #expect(result.log.count == 2)
    for name in ["NSGlobalDomain", "com.example.app"] {
      #expect(result.log.contains { $0.contains("\"\(name)\") has no effect") })
    }
  }

  // D-5
  @Test func `a write goes to a suite only through an object of that suite`() throws {
    let answers = try DomainsProcess.answers(
      in: fixture, "add suite", "set-in-suite suite key suite", "get key", "set key own",
      "suite suite key", "remove key", "get key")
    #expect(answers == ["ok", "ok", "suite", "ok", "suite", "ok", "suite"])
  }
}
