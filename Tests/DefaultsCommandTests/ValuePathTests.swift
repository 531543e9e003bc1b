import CommandTesting
import StrataPropertyList
import Testing

@testable import DefaultsCommand

/// Values inside of values.
struct ValuePathTests {
  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
    fixture.succeed("write", "t", "{Window = {Size = (1, 2); Title = x; \"a.b\" = dot;};}")
  }

  // C-30
  @Test func `a dot divides a path, and a backslash makes it part of a key`() throws {
    #expect(try ValuePath.parts(of: "Window.Size.0") == ["Window", "Size", "0"])
    #expect(try ValuePath.parts(of: #"a\.b.c\\"#) == ["a.b", #"c\"#])
    #expect(try ValuePath.parts(of: "é") == ["é"])
    for text in ["", ".", "a.", ".a", "a..b", #"a\"#] {
      #expect(throws: Failure.self, "\(text)") { try ValuePath(parsing: text) }
    }
    for key in ["a.b", #"\"#, "é.", "a"] {
      #expect(try ValuePath(parsing: ValuePath.part(key)).key == key)
    }
    let long = Array(repeating: "a", count: 100_000).joined(separator: ".")
    #expect(throws: Failure.self) { try ValuePath(parsing: long) }
  }

  // C-30
  @Test func `read and read-type look inside of dictionaries and arrays`() {
    #expect(fixture.succeed("read", "t", "--path", "Window.Size.1") == "2\n")
    #expect(fixture.succeed("read", "t", "--path=Window.Title") == "x\n")
    #expect(fixture.succeed("read", "--path", #"Window.a\.b"#, "t") == "dot\n")
    #expect(fixture.succeed("read-type", "t", "--path", "Window.Size") == "Type is array\n")
    #expect(fixture.succeed("read", "t", "--path", "Window", "--json").contains("\"Title\": \"x\""))
  }

  // C-30
  @Test func `write creates dictionaries, replaces elements and adds one`() {
    fixture.succeed("write", "t", "--path", "Window.Size.0", "-int", "7")
    fixture.succeed("write", "t", "--path", "Window.Size.2", "three")
    fixture.succeed("write", "--path", "New.a.b", "t", "-bool", "yes")
    fixture.succeed("write", "t", "--path", "New.list", "-array-add", "1")
    fixture.succeed("write", "t", "--path", "New.list", "-array-add", "2")
    fixture.succeed("write", "t", "--path", "New.a", "-dict-add", "c", "d")
    fixture.succeed("write", "t", "--path", "Plain", "v")
    #expect(
      fixture.values("t") == [
        "Window": .dictionary([
          "Size": .array([.integer(7), .string("2"), .string("three")]), "Title": .string("x"),
          "a.b": .string("dot"),
        ]),
        "New": .dictionary([
          "a": .dictionary(["b": .boolean(true), "c": .string("d")]),
          "list": .array([.string("1"), .string("2")]),
        ]),
        "Plain": .string("v"),
      ])
  }

  // C-30
  @Test func `delete removes an entry or an element`() {
    fixture.succeed("delete", "t", "--path", "Window.Size.0")
    fixture.succeed("delete", "t", "--path", #"Window.a\.b"#)
    #expect(
      fixture.values("t")["Window"]
        == .dictionary(["Size": .array([.string("2")]), "Title": .string("x")]))
    fixture.succeed("delete", "t", "--path", "Window")
    #expect(fixture.values("t") == [:])
  }

  // C-30
  @Test(arguments: [
    ("Window.Size.5", "Window.Size has 2 elements, no 5"),
    ("Window.Size.x", "\"x\" is not a position"), ("Window.Size.-1", "\"-1\" is not a position"),
    ("Window.Title.a", "Window.Title is of type string and has no part \"a\""),
    ("Window.Size.0.a", "Window.Size.0 is of type string"), ("a..b", "has an empty part"),
    (#"Window.a\"#, "ends with a backslash"),
  ])
  func `what is wrong with a path is said by its part, and changes nothing`(
    path: String, text: String
  ) {
    let before = fixture.values("t")
    for words in [
      ["read", "t", "--path", path], ["write", "t", "--path", path, "v"],
      ["delete", "t", "--path", path],
    ] {
      let outcome = fixture.run(words, fixture.console())
      #expect(outcome.code == .failure && outcome.errors.contains(text), "\(words): \(outcome)")
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
    }
    #expect(fixture.values("t") == before)
  }

  // C-30
  @Test func `what can't be written is not said to be missing`() {
    let outcome = fixture.run("write", "t", "--path", "Window.Size.3", "v")
    #expect(
      outcome.errors
        == "The path Window.Size.3 can't be written: Window.Size has 2 elements, no 3; "
        + "leaving defaults unchanged.\n")
    #expect(fixture.run("read", "t", "--path", "").errors.hasPrefix("the path is empty; "))
  }

  // C-30
  @Test func `a part that does not exist is an error for read and delete`() {
    for verb in ["read", "delete"] {
      let inner = fixture.run(verb, "t", "--path", "Window.None.x")
      #expect(inner.errors == "The path Window.None.x does not exist: Window has no key \"None\"\n")
      #expect(inner.code == .failure)
    }
    for verb in ["read", "delete"] {
      #expect(
        fixture.run(verb, "t", "--path", "None.x").errors
          == "The domain/default pair of (t, None) does not exist\n")
    }
  }

  // C-30, C-31
  @Test func `a path is given instead of a key, before the value`() {
    for (words, text) in [
      (["read", "t", "--path"], "--path requires <path>"),
      (["read", "--path", "a"], "read: missing <domain>"),
      (["read", "t", "k", "--path", "a"], "--path stands in the place of <key>"),
      (["write", "t", "--path", "a"], "write: missing <value>"),
      (["read", "t", "--path", "a", "b"], "read: unexpected argument \"b\""),
      (["rename", "t", "--path", "a", "b"], "rename: unknown option --path"),
    ] {
      let outcome = fixture.run(words, fixture.console())
      #expect(outcome.code == .usage && outcome.errors.contains(text), "\(words): \(outcome)")
    }
    fixture.succeed("write", "t", "--", "--path", "v")
    #expect(fixture.values("t")["--path"] == .string("v"))
    fixture.succeed("write", "t", "--path", "a", "--", "--quiet")
    #expect(fixture.values("t")["a"] == .string("--quiet"))
    fixture.succeed("write", "t", "--no-option", "v")
    #expect(fixture.values("t")["--no-option"] == .string("v"))
  }
}
