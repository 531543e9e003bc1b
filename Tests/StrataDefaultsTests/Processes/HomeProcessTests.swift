import Foundation
import StrataDomains
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataDefaults
@testable import class StrataDefaults.UserDefaults

/// Where a process looks for its user's files.
@Suite(.waiting) struct HomeProcessTests {
  private let fixture: DefaultsFixture

  init() throws { fixture = try DefaultsFixture() }

  // D-26, D-29
  @Test func `a configuration directory that is not absolute is passed over`() throws {
    for directory in ["relative", "", "~/x"] {
      let answers = try DomainsProcess.answers(
        in: fixture, "set key \(directory)x", "sync", environment: ["XDG_CONFIG_HOME": directory])
      #expect(answers == ["ok", "true"])
      #expect(try ListFile.values(of: fixture.plist) == ["key": .string(directory + "x")])
    }
    let elsewhere = fixture.directory + "/elsewhere"
    #expect(
      try DomainsProcess.answers(
        in: fixture, "set key there", "sync", environment: ["XDG_CONFIG_HOME": elsewhere])
        == ["ok", "true"])
    #expect(
      try ListFile.values(of: elsewhere + "/defaults/com.example.app.plist")
        == ["key": .string("there")])
  }

  // D-8, D-29
  @Test func `a home that is missing and ends in a slash is made, and no suite leads out of it`()
    throws
  {
    #expect(
      try DomainsProcess.answers(
        in: fixture, "set key x", "get key", "set-in-suite ../evil key y", "suite ../evil key",
        "sync", environment: ["HOME": fixture.directory + "/missing/"])
        == ["ok", "x", "ok", "y", "true"])
    let configuration = fixture.directory + "/missing/.config"
    #expect(try FileManager.default.contentsOfDirectory(atPath: configuration) == ["defaults"])
    let files = try FileManager.default.contentsOfDirectory(atPath: configuration + "/defaults")
    #expect(files.contains { $0.hasSuffix("%2Fevil.plist") })
  }

  // D-29
  @Test(arguments: ["/proc/nowhere", "/dev/null", "/" + String(repeating: "x", count: 5_000)])
  func `a home that can't be one does not end the process`(home: String) throws {
    let result = try DomainsProcess(
      in: fixture, ["get key", "set key x", "get key", "sync", "suite other key", "issues"],
      environment: ["HOME": home]
    ).result()
    #expect(result.answers.prefix(5) == ["nil", "ok", "x", "false", "nil"])
    #expect(result.answers.last?.contains("notStored") == true)
    #expect(result.log.count == 1)
    #expect(result.status == 0)
  }

  // D-26, D-29
  @Test func `without a machine's number its name stands for it`() throws {
    let host = try HostIdentifier.find(root: fixture.directory)
    #expect(host == HostIdentifier(of: "localhost"))
    var surroundings = fixture.process.surroundings
    surroundings.host = host
    let process = DomainProcess(
      surroundings, VolatileDomains(arguments: [:], languages: LanguageDomain.store()))
    let domain = try DomainIdentifier("com.example.app", isSetUID: false)
    try Preferences(domain, user: .current, host: .current, in: process).set(1, forKey: "key")
    #expect(UserDefaults(on: process.stack(of: domain)).integer(forKey: "key") == 1)
    fixture.flush()
    let plist = fixture.userDirectory + "/ByHost/com.example.app.\(host.text).plist"
    #expect(try ListFile.values(of: plist) == ["key": .integer(1)])
  }
}
