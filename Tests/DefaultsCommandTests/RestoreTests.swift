import CommandTesting
import Foundation
import StrataPropertyList
import StrataStorage
import Testing

@testable import DefaultsCommand
@testable import StrataDomains

/// All domains as one file, and back.
struct RestoreTests {
  private let fixture: CommandFixture
  private var archive: String { fixture.directory + "/archive" }
  private var intent: String { fixture.userDirectory + "/.strata/restore" }

  init() throws {
    fixture = try CommandFixture()
    fixture.succeed("write", "a", "{one = 1;}")
    fixture.succeed("write", "b", "{two = 2;}")
    fixture.succeed("write", "-g", "three", "-int", "3")
    fixture.succeed("-currentHost", "write", "a", "four", "-bool", "yes")
    fixture.succeed("backup", archive)
  }

  private func change() {
    fixture.succeed("write", "a", "one", "changed")
    fixture.succeed("delete", "b")
    fixture.succeed("write", "-g", "more", "x")
    fixture.succeed("-currentHost", "delete", "a")
    fixture.succeed("write", "c", "new", "x")
  }

  private func expectOld() {
    #expect(
      fixture.succeed("read") == """
        {
            "Global Domain" =     {
                three = 3;
            };
            a =     {
                one = 1;
            };
            b =     {
                two = 2;
            };
        }

        """)
    #expect(fixture.succeed("-currentHost", "read", "a", "four") == "1\n")
  }

  // C-23
  @Test func `restore brings back every domain, and empties what the archive does not have`() {
    change()
    fixture.succeed("restore", archive)
    expectOld()
    #expect(!FileManager.default.fileExists(atPath: intent))
  }

  // C-28
  @Test func `on a terminal restore shows what changes, and asks`() {
    change()
    let before = fixture.succeed("read")
    let shown = """
      Global Domain: removes 1 key
      a (this host): adds 1 key
      a: changes 1 key
      b: adds 1 key
      c: removes 1 key

      """
    for answers in [[], ["n"], [""], ["yes"]] {
      let console = fixture.console()
      console.terminals = [.input, .error]
      console.environment["TERM"] = "dumb"
      console.typed = answers
      let outcome = fixture.run(["restore", archive], console)
      let isYes = answers == ["yes"]
      #expect(outcome.code == (isYes ? .success : .failure), "\(answers)")
      #expect(outcome.errors.hasPrefix(shown + "Replace these domains? [y/N] "), "\(outcome)")
      #expect(outcome.errors.hasSuffix("Nothing was changed.\n") == !isYes, "\(outcome)")
      if !isYes { #expect(fixture.succeed("read") == before) }
    }
    expectOld()
    #expect(fixture.succeed("restore", archive, "--dry-run") == "")
  }

  // C-28
  @Test func `restore does not ask with --yes, and only shows with --dry-run`() {
    change()
    let before = fixture.succeed("read")
    let dry = fixture.succeed("restore", archive, "--dry-run")
    #expect(dry.contains("a: changes 1 key\n") && dry.contains("c: removes 1 key\n"))
    #expect(
      fixture.succeed("restore", archive, "--dry-run", "--json").contains(
        """
          {
            "adds": 1,
            "changes": 0,
            "domain": "b",
            "removes": 0
          }
        """))
    #expect(
      fixture.succeed("restore", archive, "--dry-run", "--json").contains(
        """
            "domain": "a",
            "host": "\(fixture.surroundings.host.text)",
            "removes": 0
        """))
    #expect(fixture.succeed("read") == before)
    let console = fixture.console()
    console.terminals = [.input, .error]
    #expect(fixture.run(["restore", archive, "--yes"], console).code == .success)
    #expect(!console.text(of: .error).contains("?"))
    expectOld()
  }

  // C-23
  @Test func `an archive goes through pipes, too`() {
    let console = fixture.console()
    #expect(fixture.run(["backup", "-"], console).code == .success)
    change()
    let again = fixture.console(input: console.bytes(of: .output))
    #expect(fixture.run(["restore", "-"], again).code == .success)
    expectOld()
  }

  // C-23
  @Test func `who comes after a restoration that died completes it before reading`() throws {
    change()
    // What is on the disk when a process dies right after its intent has its name.
    var left = try Archive([UInt8](Data(contentsOf: URL(fileURLWithPath: archive))))
    left.domains[FileName("c")] = [:]
    left.number = 1
    try Data(left.bytes).write(to: URL(fileURLWithPath: intent))
    expectOld()
    #expect(!FileManager.default.fileExists(atPath: intent))
  }

  // C-23
  @Test func `a restoration that a power cut brings back is not done again`() throws {
    let files = FileManager.default
    try files.copyItem(atPath: archive, toPath: intent)
    let descriptor = open(intent, O_RDONLY)
    defer { close(descriptor) }
    expectOld()
    fixture.succeed("write", "a", "{one = newer;}")
    // The file that was removed gets its name again.
    #expect(!files.fileExists(atPath: intent))
    let past = URL(fileURLWithPath: "/proc/self/fd/\(descriptor)")
    try Data(contentsOf: past).write(to: URL(fileURLWithPath: intent))
    #expect(fixture.succeed("read", "a", "one") == "newer\n")
    #expect(!files.fileExists(atPath: intent))
  }

  // C-23, S-3, S-6
  @Test func `a restoration that can't go on undoes nothing that is set meanwhile`() throws {
    change()
    let journal = StorePaths(identifier: "b", in: fixture.userDirectory).journal
    try FileManager.default.removeItem(atPath: journal)
    try FileManager.default.createDirectory(
      atPath: journal, withIntermediateDirectories: false)
    let outcome = fixture.run("restore", archive)
    #expect(outcome.code == .failure)
    #expect(outcome.errors.contains("\(fixture.userDirectory)/b.plist"), "\(outcome.errors)")
    #expect(fixture.succeed("read", "-g", "three") == "3\n", "all but that one is restored")
    // It names the one that can't be read, if this process has noticed that by now.
    #expect(!fixture.run("domains").output.contains("c"))
    fixture.succeed("write", "a", "one", "since")
    fixture.succeed("write", "d", "new", "since")
    #expect(fixture.succeed("read", "a", "one") == "since\n")
    try FileManager.default.removeItem(atPath: journal)
    #expect(fixture.succeed("read", "b", "two") == "2\n")
    #expect(!FileManager.default.fileExists(atPath: intent))
    #expect(fixture.succeed("read", "a", "one") == "since\n")
    #expect(fixture.succeed("read", "d", "new") == "since\n")
  }

  // C-23
  @Test func `an intent that the disk damaged changes nothing and is kept`() throws {
    for text in ["damaged", "again"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: intent))
      expectOld()
      #expect(!FileManager.default.fileExists(atPath: intent))
    }
    let hidden = Path.directory(of: intent)
    let kept = try FileManager.default.contentsOfDirectory(atPath: hidden)
      .filter { $0.hasPrefix("restore.damaged-") }
    let texts = kept.compactMap { FileManager.default.contents(atPath: hidden + "/" + $0) }
    #expect(Set(texts) == [Data("damaged".utf8), Data("again".utf8)])
  }

  // C-23, S-15
  @Test func `an intent of a newer version waits for a program that can read it`() throws {
    let newer = CheckedPlist.encode([
      ("Format", .string("strata-archive")), ("Version", .integer(3)), ("Domains", .array([])),
    ])
    try Data(newer).write(to: URL(fileURLWithPath: intent))
    for _ in 0..<2 { expectOld() }
    #expect(FileManager.default.contents(atPath: intent) == Data(newer))
  }

  // C-23, D-8
  @Test func `a domain whose name is too long for a file has its name again`() throws {
    let name = String(repeating: "long/é", count: 60)
    fixture.succeed("write", name, "k", "v")
    fixture.succeed("-currentHost", "write", name, "k", "here")
    fixture.succeed("backup", archive)
    for directory in ["/.strata", "/ByHost"] {
      try FileManager.default.removeItem(atPath: fixture.userDirectory + directory)
    }
    let shown = fixture.succeed("restore", archive, "--dry-run")
    #expect(shown.contains("\(name) (this host): adds 1 key\n"), "\(shown)")
    fixture.succeed("restore", archive, "--yes")
    #expect(fixture.succeed("domains").contains(name))
    #expect(fixture.succeed("-currentHost", "domains").contains(name))
    #expect(fixture.succeed("-currentHost", "read", name, "k") == "here\n")
    // What a name does not fit is no domain's name.
    var forged = try Archive(Array(Data(contentsOf: URL(fileURLWithPath: archive))))
    #expect(forged.names.count == 2)
    for file in forged.names.keys { forged.names[file] = "other" }
    #expect(try Archive(forged.bytes).names.isEmpty)
  }

  // C-23
  @Test func `a damaged archive is refused and changes nothing`() throws {
    change()
    let before = fixture.succeed("read")
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: archive)))
    for position in stride(from: 0, to: bytes.count, by: 7) {
      var damaged = bytes
      damaged[position] ^= 0x40
      let outcome = fixture.run(["restore", "-"], fixture.console(input: damaged))
      #expect(outcome.code == .failure, "byte \(position)")
      #expect(outcome.errors.hasPrefix("cannot restore standard input: "), "byte \(position)")
    }
    let cut = fixture.run(["restore", "-"], fixture.console(input: Array(bytes.dropLast(9))))
    #expect(cut.code == .failure)
    #expect(fixture.succeed("read") == before)
  }

  // C-23, D-8
  @Test func `an archive leads to no file outside of the user's directory`() throws {
    for name in [
      "../escape", "ByHost/../../escape", "/tmp/escape", ".hidden", "", "a/b", "ByHost/",
    ] {
      var archive = Archive()
      archive.domains[FileName(name)] = ["k": .string("v")]
      let outcome = fixture.run(["restore", "-"], fixture.console(input: archive.bytes))
      #expect(outcome.code == .failure, "\(name)")
    }
    expectOld()
  }

  // C-23
  @Test func `domains as deep and as odd as they may be survive`() throws {
    var deep = PropertyListValue.string("bottom")
    for _ in 0..<511 { deep = .array([deep]) }
    let odd: [String: PropertyListValue] = [
      "deep": deep, "uid": .uid(7), "single": .single(0.1), "nan": .real(.nan),
      "date": .date(PropertyListDate(secondsSinceReference: .infinity)), "": .data([0, 255]),
    ]
    let store = Store.open(StorePaths(identifier: "odd", in: fixture.userDirectory))
    try store.apply(ChangeSet(odd.map { Change(key: $0.key, value: $0.value) }))
    fixture.succeed("backup", archive)
    fixture.succeed("delete", "odd")
    fixture.succeed("restore", archive)
    #expect(fixture.values("odd") == odd)
  }

  // C-23, S-9a
  @Test func `what is left of a damaged domain takes the place of no backup or export`() throws {
    fixture.succeed("write", "d", "aa", "value-aa")
    fixture.succeed("write", "d", "bb", "value-bb")
    let copy = fixture.directory + "/copy"
    fixture.succeed("backup", archive)
    fixture.succeed("export", "d", copy)
    let good = try [archive, copy].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    let list = fixture.userDirectory + "/d.plist"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: list))
    let place = try #require(bytes.firstRange(of: Data("value-bb".utf8)))
    bytes[place.lowerBound] ^= 1
    try bytes.write(to: URL(fileURLWithPath: list))
    usleep(100_000)  // so long it may take until that is noticed (S-8)
    for words in [["backup", archive], ["export", "d", copy], ["export", "d", "-"]] {
      let outcome = fixture.run(words, fixture.console())
      #expect(outcome.code == .failure && outcome.errors.contains("has lost values"), "\(words)")
      #expect(outcome.output.contains("value-aa") == (words.last == "-"))
    }
    // Another one with the same bytes, which this process has not read before.
    try bytes.write(to: URL(fileURLWithPath: fixture.userDirectory + "/e.plist"))
    let missing = fixture.run("read", "e", "bb")
    #expect(missing.code == .failure && missing.errors.contains("has lost values"), "\(missing)")
    #expect(try [archive, copy].map { try Data(contentsOf: URL(fileURLWithPath: $0)) } == good)
    // Whoever writes to it takes what is left for all of it.
    for name in ["d", "e"] { fixture.succeed("write", name, "bb", "again") }
    fixture.succeed("backup", archive)
  }

  // C-23
  @Test func `what restorations left that were killed while they stored the archive goes`() throws {
    let hidden = Path.directory(of: intent)
    let drafts = [".restore.1a.new", ".restore.zz.new"].map { hidden + "/" + $0 }
    for path in drafts { try Data("left".utf8).write(to: URL(fileURLWithPath: path)) }
    fixture.succeed("restore", archive)
    for path in drafts { #expect(!FileManager.default.fileExists(atPath: path)) }
  }

  // C-23
  @Test func `a property list that can't be written is named when all is restored`() throws {
    let list = fixture.userDirectory + "/b.plist"
    try FileManager.default.removeItem(atPath: list)
    // No file can be made there.
    try FileManager.default.createSymbolicLink(
      atPath: list, withDestinationPath: "/proc/b.plist")
    let outcome = fixture.run("restore", archive)
    #expect(outcome.code == .failure)
    #expect(outcome.errors.contains("all domains are restored, but"), "\(outcome)")
    #expect(outcome.errors.contains(list), "\(outcome)")
    #expect(fixture.succeed("read", "b", "two") == "2\n")
    #expect(!FileManager.default.fileExists(atPath: intent))
    try FileManager.default.removeItem(atPath: list)
    fixture.succeed("restore", archive)
    expectOld()
  }

  // C-23
  @Test func `a backup names every domain that can't be read`() throws {
    for name in ["d", "e"] {
      try FileManager.default.createDirectory(
        atPath: fixture.userDirectory + "/\(name).plist", withIntermediateDirectories: false)
    }
    let outcome = fixture.run("backup", archive)
    #expect(outcome.code == .failure)
    for name in ["d", "e"] {
      #expect(outcome.errors.contains("the domain \(name) could not be read"), "\(outcome)")
    }
  }

  // C-23
  @Test func `check tells what is damaged`() throws {
    fixture.isLeftBroken = true
    #expect(fixture.succeed("check") == "4 domains, 4 values: no damage found\n")
    let path = fixture.userDirectory + "/a.plist"
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    bytes[bytes.count / 2] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let outcome = fixture.run("check", "a")
    #expect(outcome.code == .failure)
    #expect(outcome.output.contains("\(path): broken: its checksum is wrong"))
    #expect(outcome.output.hasSuffix(": damage found\n"))
    #expect(fixture.run("check").code == .failure)
  }

  // C-23
  @Test func `without a home there is nothing to save, and an older archive stays`() throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: archive))
    let old = fixture.surroundings
    let homeless = ProcessSurroundings(
      environment: [:], userID: old.userID, user: .known(nil), isSetUID: false, host: old.host,
      executableName: "defaults")
    for path in [archive, "-"] {
      let console = fixture.console()
      #expect(Program.run(["backup", path], console, homeless) == .failure)
      #expect(console.text(of: .error) == "there is no home directory to save; set HOME\n")
      #expect(console.text(of: .output) == "")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: archive)) == before)
  }
}
