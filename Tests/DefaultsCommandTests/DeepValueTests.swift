import CommandTesting
import StrataPropertyList
import StrataStorage
import Testing

@testable import DefaultsCommand

/// A value with as many levels as one can have, beside others.
struct DeepValueTests {
  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
    var deep = PropertyListValue.string("bottom")
    for _ in 0..<511 { deep = .array([deep]) }
    let store = Store.open(StorePaths(identifier: "a", in: fixture.userDirectory))
    try store.apply(ChangeSet([Change(key: "deep", value: deep), Change(key: "k", value: "v")]))
    fixture.succeed("write", "b", "k", "other")
  }

  // C-22, C-31
  @Test(arguments: [
    ["read"], ["read", "a"], ["read", "a", "deep"], ["find", "bottom"], ["list", "a"],
    ["explain", "a", "deep"], ["diff", "a", "b"], ["export", "a", "-"],
  ])
  func `it is shown, and hides no other`(_ words: [String]) {
    let formats = ["xml", "openstep", "gnustep", "binary"].map { ["--format", $0] }
    let hasFormats = ["read", "export"].contains(words[0])
    for options in [["--json"]] + (hasFormats ? formats : []) {
      let outcome = fixture.run(words + options, fixture.console())
      #expect(outcome.code == (words[0] == "diff" ? .failure : .success), "\(words + options)")
      #expect(outcome.errors == "" && outcome.output.contains("bottom"), "\(words + options)")
    }
  }
}
