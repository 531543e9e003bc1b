import Foundation
import StrataDomains
import StrataPropertyList
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// Which files are whose domain.
struct DomainFilesTests {
  private func files(in directory: String) throws -> Set<String> {
    Set(try FileManager.default.subpathsOfDirectory(atPath: directory)).filter {
      $0.hasSuffix(".plist")
    }
  }

  private func names(in fixture: DefaultsFixture) -> [String] {
    fixture.defaults.persistentNames() as? [String] ?? []
  }

  // D-26
  @Test func `what is set is in the file of the domain's place`() throws {
    let fixture = try DefaultsFixture()
    let (identifier, process) = (
      try DomainIdentifier("com.example.app", isSetUID: false),
      fixture.process
    )
    let host = HostIdentifier(of: "a machine").text
    fixture.defaults.set("own", forKey: "key")
    fixture.defaults.setPersistentDomain(["key": "global"], forName: UserDefaults.globalDomain)
    try fixture.suite("suite").set("suite", forKey: "key")
    for domain in [identifier, .global] {
      for (user, host) in [(.current, .current), (.any, .any)]
        as [(Preferences.User, Preferences.Host)]
      {
        try Preferences(domain, user: user, host: host, in: process)
          .set("\(domain) \(user)", forKey: "key")
      }
    }
    fixture.flush()
    let expected = [
      ".config/defaults/com.example.app.plist": "own",
      ".config/defaults/.GlobalPreferences.plist": "global",
      ".config/defaults/suite.plist": "suite",
      ".config/defaults/ByHost/com.example.app.\(host).plist": "com.example.app current",
      ".config/defaults/ByHost/.GlobalPreferences.\(host).plist": "NSGlobalDomain current",
      "system/com.example.app.plist": "com.example.app any",
      "system/.GlobalPreferences.plist": "NSGlobalDomain any",
    ]
    #expect(try files(in: fixture.directory) == Set(expected.keys))
    for (path, value) in expected {
      let values = try ListFile.values(of: fixture.directory + "/" + path)
      #expect(values == ["key": .string(value)], "\(path)")
    }
    #expect(host.count == 12)
  }

  // D-8
  @Test(arguments: [
    ("/dir/list", "/dir/list.plist"), ("/dir/list.plist", "/dir/list.plist"),
    ("/dir/../other/./list", "/other/list.plist"), ("/dir/.hidden", "/dir/.hidden.plist"),
  ])
  func `an absolute path is a domain that is exactly that file`(
    name: String, file: String
  ) throws {
    let fixture = try DefaultsFixture(
      arguments: ["argument": .integer(1)], system: ["managed/list.plist": ["key": .integer(2)]])
    let list = try fixture.suite(fixture.directory + name)
    list.set(1, forKey: "key")
    #expect(list.integer(forKey: "key") == 1)
    #expect(list.integer(forKey: "argument") == 1)
    #expect(list.synchronize())
    fixture.flush()
    let isResolved = !FileManager.default.fileExists(atPath: fixture.directory + "/dir")
    #expect(isResolved == name.contains(".."))
    #expect(
      try ListFile.values(of: fixture.directory + file) == ["key": .integer(1)])
    let same = try fixture.suite(fixture.directory + file)
    #expect(same.integer(forKey: "key") == 1)
    #expect(fixture.defaults.persistentDomain(forName: fixture.directory + name)?.count == 1)
    fixture.defaults.addSuite(named: fixture.directory + name)
    #expect(fixture.defaults.integer(forKey: "key") == 1)
    fixture.defaults.removePersistentDomain(forName: fixture.directory + file)
    #expect(same.object(forKey: "key") == nil)
  }

  // D-8
  @Test func `two identifiers are the same when their bytes are`() throws {
    let fixture = try DefaultsFixture()
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    #expect(composed == decomposed)
    let (first, second) = (try fixture.suite(composed), try fixture.suite(decomposed))
    first.set("composed", forKey: "key")
    #expect(second.object(forKey: "key") == nil)
    second.set("decomposed", forKey: "key")
    #expect(first.string(forKey: "key") == "composed")
    try fixture.suite(String(repeating: "x", count: 200)).set(1, forKey: "key")
    #expect(try fixture.suite(String(repeating: "x", count: 200)).synchronize())
  }

  // D-8, D-15
  @Test(arguments: [
    "Tests/App.swift", ".hidden", "..", "../../../etc/passwd", "a\nb", "%61%2Fb", "50%",
    String(repeating: "x", count: 250), String(repeating: "é/", count: 100_000),
  ])
  func `any name is a suite with one file in the user's directory`(name: String) throws {
    let fixture = try DefaultsFixture()
    let suite = try fixture.suite(name)
    suite.set(1, forKey: "key")
    // Before the file is written, and after.
    #expect(names(in: fixture) == [name])
    fixture.flush()
    #expect(names(in: fixture) == [name])
    let other = try fixture.suite(name)
    #expect(other.integer(forKey: "key") == 1)
    #expect(try files(in: fixture.directory).count == 1)
    let places = try FileManager.default.subpathsOfDirectory(atPath: fixture.directory)
    #expect(places.allSatisfy { $0.hasPrefix(".config") || $0 == "system" }, "\(places)")
    fixture.defaults.removePersistentDomain(forName: name)
    #expect(other.object(forKey: "key") == nil)
  }

  // D-8
  @Test func `a domain whose whole name was lost is listed as its file`() throws {
    let fixture = try DefaultsFixture()
    let name = String(repeating: "x", count: 250)
    try fixture.suite(name).set(1, forKey: "key")
    fixture.flush()
    let kept = try #require(
      try FileManager.default.subpathsOfDirectory(atPath: fixture.userDirectory)
        .first { $0.hasSuffix(".name") })
    for content in ["another name", "\0", nil] {
      let path = fixture.userDirectory + "/" + kept
      if let content {
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
      } else {
        try FileManager.default.removeItem(atPath: path)
      }
      let listed = try #require(names(in: fixture).first)
      #expect(listed.hasPrefix(fixture.userDirectory + "/%78xxx"))
      #expect(fixture.defaults.persistentDomain(forName: listed) as? [String: Int] == ["key": 1])
    }
  }

  // D-8
  @Test func `a name that was its own file name keeps what is in that file`() throws {
    let fixture = try DefaultsFixture()
    let host = HostIdentifier(of: "a machine").text
    try ListFile.write(["a": "old"], to: fixture.userDirectory + "/a\nb.plist")
    try ListFile.write(["b": "old"], to: fixture.userDirectory + "/ByHost/a\nb.\(host).plist")
    try ListFile.write(["a": "old"], to: fixture.userDirectory + "/%41.plist")
    let suite = try fixture.suite("a\nb")
    #expect(suite.string(forKey: "a") == "old")
    #expect(suite.string(forKey: "b") == "old")
    suite.set("new", forKey: "a")
    fixture.flush()
    #expect(suite.string(forKey: "a") == "new")
    #expect(
      try ListFile.values(of: fixture.userDirectory + "/%61%0Ab.plist") == ["a": .string("new")])
    #expect(try fixture.suite("%41").string(forKey: "a") == "old")
  }
}
