import StrataDomains
import Testing

/// Which domain is an application's own.
struct ApplicationIdentifierTests {
  private func decide(
    bundle: String? = nil, environment: String? = nil, executable: String = "tool",
    isSetUID: Bool = false
  ) -> (identifier: DomainIdentifier, refused: [DomainIdentifierError]) {
    var refused: [DomainIdentifierError] = []
    let identifier = ApplicationIdentifier.decide(
      bundleIdentifier: bundle, environment: environment, executableName: executable,
      isSetUID: isSetUID
    ) { refused.append($0) }
    return (identifier, refused)
  }

  // D-7
  @Test func `the bundle goes before the environment and that before the executable`() {
    #expect(decide(bundle: "b", environment: "e").identifier.name == "b")
    #expect(decide(environment: "e").identifier.name == "e")
    #expect(decide().identifier.name == "tool")
    #expect(decide(bundle: "", environment: "").identifier.name == "tool")
    #expect(decide(bundle: "", environment: "").refused == [])
  }

  // D-7
  @Test func `the environment of a set-uid process has no say`() {
    #expect(decide(environment: "e", isSetUID: true).identifier.name == "tool")
    #expect(decide(bundle: "b", environment: "e", isSetUID: true).identifier.name == "b")
  }

  // D-7, D-8
  @Test func `what can't name an application is passed over and reported`() {
    let decision = decide(bundle: "a\0b", environment: "NSGlobalDomain")
    #expect(decision.identifier.name == "tool")
    #expect(decision.refused.map(\.reason) == [.holdsNUL, .globalOfApplication])
    #expect(decide(bundle: "a/b").identifier.name == "a/b")
    #expect(decide(environment: "/tmp/a.plist").identifier.name == "tool")
    #expect(decide(environment: "/tmp/a").refused.map(\.reason) == [.pathOfApplication])
  }

  // D-7, D-8
  @Test(arguments: [
    (".hidden", "hidden"), ("...", "unnamed"), ("", "unnamed"), ("a/b", "a-b"),
    ("NSGlobalDomain", "unnamed"), (".NSGlobalDomain", "unnamed"),
    (String(repeating: "é", count: 150), String(repeating: "é", count: 100)),
    ("a" + String(repeating: "é", count: 150), "a" + String(repeating: "é", count: 99)),
  ])
  func `every executable has an identifier`(executable: String, name: String) {
    #expect(decide(executable: executable).identifier.name == name)
  }
}
