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
}
