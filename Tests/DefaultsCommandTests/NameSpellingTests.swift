import CommandTesting
import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage
import Testing

@testable import DefaultsCommand

/// Domains whose names look alike and are two, since their bytes are.
struct NameSpellingTests {
  private let fixture: CommandFixture
  private static let (one, other) = ("caf\u{E9}", "cafe\u{301}")

  init() throws {
    fixture = try CommandFixture()
    for (name, value) in [(Self.one, "one"), (Self.other, "other")] {
      fixture.succeed("write", name, "k", value)
      fixture.succeed("-currentHost", "write", name, "k", value + " here")
    }
  }

  private func isIn(_ text: String, _ word: String) -> Bool {
    text.utf8.split(whereSeparator: { !($0 >= 0x80 || $0 > 0x60 && $0 < 0x7B) }).contains {
      $0.elementsEqual(word.utf8)
    }
  }

  // D-8, C-11, C-13
  @Test func `both are listed, read, found and checked`() {
    for host in [[], ["-currentHost"]] {
      for verb in [["domains"], ["domains", "--json"], ["find", "k"]] {
        let text = fixture.run(host + verb, fixture.console()).output
        #expect(isIn(text, Self.one) && isIn(text, Self.other), "\(host + verb): \(text)")
      }
    }
    let text = fixture.succeed("read")
    #expect(text.contains("caf\\\\U00e9") && text.contains("cafe\\\\U0301"), "\(text)")
    #expect(text.contains("k = one;") && text.contains("k = other;"), "\(text)")
    #expect(fixture.succeed("check") == "4 domains, 4 values: no damage found\n")
  }

  // D-8, C-22
  @Test func `where a notation has one key for both, that is told`() {
    let outcome = fixture.run("read", "--json")
    #expect(outcome.code == .success)
    #expect(outcome.errors.contains("JSON does not preserve"), "\(outcome.errors)")
    #expect(isIn(outcome.errors, Self.one) || isIn(outcome.errors, Self.other))
  }

  // D-8, C-23
  @Test func `a backup has both and a restoration brings both back`() {
    let archive = fixture.directory + "/archive"
    fixture.succeed("backup", archive)
    fixture.succeed("write", Self.one, "k", "changed")
    fixture.succeed("delete-all", Self.other)
    fixture.succeed("restore", archive)
    for (name, value) in [(Self.one, "one"), (Self.other, "other")] {
      #expect(fixture.succeed("read", name, "k") == value + "\n")
      #expect(fixture.succeed("-currentHost", "read", name, "k") == value + " here\n")
    }
    fixture.succeed("delete-all", Self.other)
    fixture.succeed("backup", archive)
    fixture.succeed("write", Self.other, "k", "new")
    fixture.succeed("restore", archive)
    #expect(fixture.succeed("read", Self.one, "k") == "one\n")
    #expect(fixture.run("read", Self.other).code == .failure)
  }

  // D-8, C-31
  @Test func `a program's name that looks like a path hides no other`() throws {
    for file in ["%2E%2Fx", "%7E%2Fx", "%2E.%2Fx", "%2Fetc%2Fx", "%2F"] {
      try fixture.write(["k": "v"], toList: ".config/defaults/\(file).plist")
    }
    let names = fixture.succeed("domains").dropLast().components(separatedBy: ", ")
    #expect(names.count == 5 && Set(names).isSuperset(of: ["./x", "~/x", "../x"]), "\(names)")
    #expect(fixture.succeed("read").contains("\"./x\" ="))
    #expect(fixture.succeed("find", "v").contains("'~/x'"))
    #expect(fixture.succeed("watch") == "")
    #expect(fixture.run("read", "./x").errors.contains("is a relative path"))
  }

  // D-8, C-31
  @Test func `a name that is not known hides no other`() throws {
    let long = String(repeating: "x", count: 300)
    fixture.succeed("-currentHost", "write", long, "k", "v")
    #expect(fixture.succeed("-currentHost", "domains").contains(long))
    let hidden = fixture.userDirectory + "/ByHost/.strata"
    let files = try FileManager.default.contentsOfDirectory(atPath: hidden)
    let name = try #require(files.first { $0.hasSuffix(".name") })
    try FileManager.default.removeItem(atPath: hidden + "/" + name)
    for words in [["domains"], ["read"], ["find", "here"]] {
      let outcome = fixture.run(["-currentHost"] + words, fixture.console())
      #expect(outcome.code == .failure, "\(outcome)")
      #expect(outcome.output.contains("caf"), "\(outcome)")
      #expect(
        outcome.errors.hasPrefix("The name of the domain in \(fixture.userDirectory)/ByHost/"))
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
    }
    for words in [["watch"], ["-currentHost", "watch"]] {
      let watch = fixture.run(words, fixture.console())
      #expect(watch.code == .success && watch.errors.contains("The name of the domain in "))
    }
    #expect(fixture.succeed("-currentHost", "read", long, "k") == "v\n")
  }

  // C-11, C-23, D-8
  @Test(arguments: ["a\u{600}", "a\u{6DD}", "a\u{70F}"])
  func `a name is listed and saved whose last character joins the dot of its file`(
    _ name: String
  ) throws {
    for host in [[], ["-currentHost"]] {
      #expect(fixture.run(host + ["write", name, "k", "v"], fixture.console()) == .init())
      let listed = fixture.run(host + ["domains"], fixture.console()).output
      #expect(listed.unicodeScalars.starts(with: "\(name), ".unicodeScalars), "\(listed)")
    }
    let archive = fixture.directory + "/archive"
    fixture.succeed("backup", archive)
    fixture.succeed("delete-all", name)
    fixture.succeed("restore", archive)
    for host in [[], ["-currentHost"]] {
      let read = fixture.run(host + ["read", name, "k"], fixture.console())
      #expect(read == .init(output: "v\n"))
    }
  }
}
