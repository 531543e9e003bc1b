import CommandTesting
import Foundation
import StrataPropertyList
import Testing

@testable import DefaultsCommand

/// Editing as XML.
struct EditTests {
  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
    fixture.succeed("write", "t", "{a = 1; b = 2; c = 3;}")
  }

  /// Runs `edit` with an editor that does this to the text.
  private func edit(
    _ console: TestConsole, _ change: @escaping (String) -> String, code: Int32 = 0
  ) -> CommandFixture.Outcome {
    console.program = { _, arguments in
      let path = arguments.last ?? ""
      do {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try change(text).write(toFile: path, atomically: true, encoding: .utf8)
      } catch {
        return 99
      }
      return code
    }
    return fixture.run(["edit", "t"], console)
  }

  private func leftFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: fixture.directory)
      .filter { $0.hasSuffix(".plist") }
  }

  // C-23
  @Test func `only what was changed in the editor is written`() throws {
    let outcome = edit(fixture.console()) { text in
      // Meanwhile a program changes one key and adds another.
      fixture.succeed("write", "t", "b", "theirs")
      fixture.succeed("write", "t", "d", "new")
      return text.replacingOccurrences(of: "<string>1</string>", with: "<string>mine</string>")
        .replacingOccurrences(of: "<key>c</key>\n\t<string>3</string>", with: "")
    }
    #expect(outcome == .init())
    #expect(
      fixture.values("t") == ["a": .string("mine"), "b": .string("theirs"), "d": .string("new")])
    #expect(try leftFiles().isEmpty)
  }

  // C-23, D-8
  @Test func `a domain can be edited whose name is too long for a file`() throws {
    let name = String(repeating: "é", count: 200)
    fixture.succeed("write", name, "k", "v")
    let console = fixture.console()
    #expect(fixture.run(["edit", name], console) == .init())
    #expect(try leftFiles().isEmpty)
  }

  // C-23
  @Test func `who else changed the same key is told`() throws {
    let outcome = edit(fixture.console()) { text in
      fixture.succeed("write", "t", "a", "theirs")
      return text.replacingOccurrences(of: "<string>1</string>", with: "<string>mine</string>")
    }
    #expect(
      outcome.errors == "a was changed to \"theirs\" in the meantime; your change was applied\n")
    #expect(fixture.values("t")["a"] == .string("mine"))
  }

  // C-23
  @Test(arguments: ["<plist><dict><key>a</key>", "", " \n", "(1, 2)", "{a = 1; b"])
  func `a text that is no property list is kept, and changes nothing`(_ text: String) throws {
    let before = fixture.values("t")
    let outcome = edit(fixture.console()) { _ in text }
    #expect(outcome.code == .failure)
    #expect(outcome.errors.contains("Nothing was changed. The text is kept in "))
    let left = try leftFiles()
    #expect(left.count == 1)
    let path = fixture.directory + "/" + (left.first ?? "")
    #expect(outcome.errors.contains(path))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    #expect(fixture.values("t") == before)
  }

  // C-23
  @Test func `on a terminal a broken text can be edited again`() throws {
    let console = fixture.console()
    console.terminals = [.input, .output, .error]
    console.typed = ["y"]
    var times = 0
    let outcome = edit(console) { text in
      times += 1
      return times == 1 ? "<plist>" : "{a = 2; b = 2; c = 3;}"
    }
    #expect(outcome.code == .success)
    #expect(times == 2)
    #expect(fixture.values("t")["a"] == .string("2"))
  }

  // C-23
  @Test func `an editor that fails changes nothing, and its text is kept`() throws {
    let before = fixture.values("t")
    let outcome = edit(fixture.console(), { _ in "{}" }, code: 1)
    #expect(outcome.code == .failure)
    #expect(outcome.errors.contains("the editor exited with code 1; nothing was changed"))
    #expect(try leftFiles().count == 1)
    #expect(fixture.values("t") == before)
    // A text that is as it was is worth nothing.
    #expect(edit(fixture.console(), { $0 }, code: 1).code == .failure)
    #expect(try leftFiles().count == 1)
  }

  // C-23
  @Test func `what XML can't keep stays as it was`() throws {
    fixture.succeed("write", "t", "when", "-date", "2020-01-01T00:00:00.5Z")
    let before = fixture.values("t")
    let outcome = edit(fixture.console()) {
      $0.replacingOccurrences(of: "<string>2</string>", with: "<string>x</string>")
    }
    #expect(outcome.code == .success)
    #expect(fixture.values("t") == before.merging(["b": .string("x")]) { $1 })
  }

  // C-23
  @Test func `what XML can't hold is left out of the text, named, and stays as it was`() throws {
    fixture.succeed("write", "t", "odd", "a\u{1}b")
    fixture.succeed("write", "t", "many", "-array", "c\u{2}d")
    fixture.succeed("write", "t", "e\u{3}f", "name")
    let before = fixture.values("t")
    let outcome = edit(fixture.console()) {
      #expect(!$0.contains("odd") && !$0.contains("many") && !$0.contains("name"))
      return $0.replacingOccurrences(of: "<string>2</string>", with: "<string>x</string>")
    }
    #expect(outcome.code == .success)
    for name in ["odd", "many", #""e\003f""#] {
      #expect(outcome.errors.contains("\(name) is left out"), "\(name)")
    }
    #expect(fixture.values("t") == before.merging(["b": .string("x")]) { $1 })
    try #require(leftFiles().isEmpty)
  }

  // C-22, C-23
  @Test func `a value that a format can't hold is named`() throws {
    fixture.succeed("write", "t", "deep", "-dict", "list", "(x, {key = \"a\\001b\";})")
    for words in [["read", "t", "--format", "xml"], ["export", "t", "-"]] {
      let outcome = fixture.run(words, fixture.console())
      #expect(outcome.code == .failure)
      #expect(outcome.errors.hasPrefix("cannot write XML: deep.list.1.key: XML has no"))
    }
  }

  // C-23
  @Test func `a new domain can be written in the editor`() throws {
    let console = fixture.console()
    console.program = { _, arguments in
      FileManager.default.createFile(
        atPath: arguments.last ?? "", contents: Data("{n = <*I5>;}".utf8)) ? 0 : 99
    }
    #expect(fixture.run(["edit", "fresh"], console) == .init())
    #expect(fixture.values("fresh") == ["n": .integer(5)])
  }

  // C-23
  @Test(arguments: [0, 1])
  func `a text that the editor has removed is not said to be kept`(_ code: Int32) throws {
    let before = fixture.values("t")
    let console = fixture.console()
    console.program = { _, arguments in unlink(arguments.last ?? "") == 0 ? code : 99 }
    let outcome = fixture.run(["edit", "t"], console)
    #expect(outcome.code == .failure && !outcome.errors.contains("kept"), "\(outcome)")
    #expect(outcome.errors.lowercased().contains("nothing was changed"), "\(outcome)")
    #expect(fixture.values("t") == before)
  }
}
