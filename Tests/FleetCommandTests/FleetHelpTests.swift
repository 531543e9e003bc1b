import DefaultsCommand
import FleetModel
import RevisionedStore
import StrataPropertyList
import Testing

@testable import FleetCommand

/// Help, manual page, completion, files that are no policies, and waiting for hosts.
struct FleetHelpTests {
  @Test func `M-8: each verb has help under the name of the program`() async throws {
    let fixture = try FleetFixture()
    for verb in FleetProgram.grammar.verbs {
      let outcome = await fixture.run([verb.name, "--help"], fixture.console(), endpoint: [])
      #expect(outcome.code == .success && outcome.output.contains("  defaults fleet \(verb.name)"))
      #expect(Set(verb.options.map(\.name)).count == verb.options.count, "\(verb.name)")
    }
    let all = await fixture.run(["help"], fixture.console(), endpoint: [])
    #expect(all.output.contains("'defaults fleet' followed by one of the following"))
    #expect(!all.output.contains("-currentHost") && !all.output.contains("<value_rep>"))
    let unknown = await fixture.run(["pln"], fixture.console(), endpoint: [])
    #expect(unknown.code == .usage && unknown.errors.hasPrefix("defaults fleet: unknown verb"))
    let usage = await fixture.run(["status", "--nothing"], fixture.console())
    #expect(usage.errors.contains("usage: defaults fleet status\n       defaults fleet status"))
  }

  @Test func `M-8: the manual page and the completion are the program's own`() async throws {
    let fixture = try FleetFixture()
    let page = await fixture.run(["manual"], fixture.console(), endpoint: [])
    #expect(page.output.hasPrefix(".TH DEFAULTS-FLEET 1") && !page.output.contains(".SH VALUES"))
    let script = await fixture.run(["completion", "bash"], fixture.console(), endpoint: [])
    #expect(script.output.contains("complete -F _defaults_fleet defaults-fleet"))
    let words = await fixture.run(
      ["complete", "bash", "--", "pro"], fixture.console(), endpoint: [])
    #expect(words.output.hasPrefix("promote\t"), "\(words)")
  }

  @Test(arguments: [
    ("everyone/com.example.app.plist", "is in no layer's directory"),
    ("group:a/com.example.app.plist", "top"), ("all/README", "has no policies"),
    ("group:a:b/com.example.app.plist", "is not a layer"),
  ])
  func `M-8: a file that is no policy is named`(_ path: String, _ text: String) async throws {
    let fixture = try FleetFixture()
    let file = try fixture.write(path, bytes: Array(#"{"top": 1}"#.utf8))
    let outcome = await fixture.run("plan", fixture.policies)
    #expect(outcome.code == .failure && outcome.errors.contains(text), "\(outcome)")
    #expect(await fixture.run("plan", file).code == .failure)
    #expect(await fixture.run("plan", fixture.directory + "/none").code == .failure)
  }

  @Test func `M-8: the same policy in two files is refused`() async throws {
    let fixture = try FleetFixture()
    try fixture.write("group:a/com.example.app.plist", ["forced": ["x": 1]])
    try fixture.write("group/a/com.example.app.plist", ["forced": ["x": 2]])
    #expect(await fixture.run("plan", fixture.policies).errors.contains("are the same policy"))
  }

  @Test func `M-8: a roll-out is waited for, but not for a host that has never reported`()
    async throws
  {
    let fixture = try FleetFixture()
    try await fixture.host("web1", versions: [:])
    try await fixture.host("web2")
    let file = try fixture.write("all/com.example.app.plist", ["forced": ["x": 1]])
    let late = await fixture.run("publish", file, "--reason", "x", "--wait", "0.01")
    #expect(late.code == .success && late.errors.contains("0 of 1 host have it"), "\(late)")
    let next = try fixture.write("all/com.example.app.plist", ["forced": ["x": 2]])
    let status = try FleetFixture.status(["all/com.example.app": 2]).bytes(of: "web1")
    let reports = Task { [store = fixture.store] in
      while try await store.values.allSatisfy({ !$0.key.hasSuffix("0000000002") }) {
        await Task.yield()
      }
      try await store.put("/status/v1/web1", status)
    }
    let outcome = await fixture.run("publish", next, "--reason", "x", "--wait", "60")
    try await reports.value
    #expect(outcome.code == .success && outcome.errors == "1 host: done\n", "\(outcome)")
  }
}
