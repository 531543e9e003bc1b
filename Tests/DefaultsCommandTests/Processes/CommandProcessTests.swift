import Foundation
import StrataPropertyList
import StrataStorage
import StrataTesting
import Testing

@testable import DefaultsCommand

/// The program itself, in processes of its own.
@Suite(.waiting) struct CommandProcessTests {
  private let fixture: CommandFixture

  init() throws { fixture = try CommandFixture() }

  /// Runs a line of a shell in which `"$0"` is the program.
  private func shell(_ line: String) throws -> CommandProcess.Result {
    try CommandProcess(in: fixture, shell: line).result()
  }

  // C-1, C-4
  @Test func `what one process writes another one reads`() throws {
    #expect(try CommandProcess.run(fixture, "write", "t", "k", "v") == .init(code: 0))
    #expect(try CommandProcess.run(fixture, "read", "t", "k") == .init(output: "v\n", code: 0))
    #expect(fixture.values("t") == ["k": .string("v")])
    let plist = try PropertyList.decode(
      [UInt8](Data(contentsOf: URL(fileURLWithPath: fixture.userDirectory + "/t.plist")))
    ).value
    #expect(plist == .dictionary(["k": .string("v")]), "it is in the file, too")
    #expect(try CommandProcess.run(fixture, "read", "u").code == 1)
    #expect(try CommandProcess.run(fixture, "frob").code == 255)
  }

  // S-13
  @Test func `what only reads leaves an empty home empty`() throws {
    let home = fixture.directory + "/home"
    try #require(mkdir(home, 0o700) == 0)
    for words in [["read", "a"], ["read", "a", "b"], ["explain", "a", "b"], ["domains"]] {
      _ = try CommandProcess(in: fixture, words, environment: ["HOME": home]).result()
      #expect(try FileManager.default.contentsOfDirectory(atPath: home).isEmpty, "\(words)")
    }
  }

  // C-9
  @Test func `of several that add at once none is lost`() throws {
    let processes = try (0..<12).map {
      try CommandProcess(in: fixture, ["write", "t", "list", "-array-add", "item\($0)"])
    }
    for process in processes { #expect(try process.result() == .init(code: 0)) }
    guard case .array(let items)? = fixture.values("t")["list"] else {
      Issue.record("there is no list")
      return
    }
    #expect(Set(items) == Set((0..<12).map { .string("item\($0)") }))
  }

  // C-30
  @Test func `of several that write into one value at once none is lost`() throws {
    let processes = try (0..<12).map { number in
      let words = number < 6 ? ["map.k\(number)", "v"] : ["map.list", "-array-add", "\(number)"]
      return try CommandProcess(in: fixture, ["write", "t", "--path"] + words)
    }
    for process in processes { #expect(try process.result() == .init(code: 0)) }
    guard case .dictionary(let map)? = fixture.values("t")["map"],
      case .array(let items)? = map["list"]
    else {
      Issue.record("\(fixture.values("t"))")
      return
    }
    #expect(map.count == 7 && items.count == 6, "\(map)")
  }

  // C-29
  @Test func `apply exits with 2 where something changed, if that is asked for`() throws {
    let line = #"echo '{"t": {"k": 1}}' | "$0" apply - --quiet"#
    #expect(try shell(line + " --detailed-exitcode") == .init(code: 2))
    #expect(try shell(line + " --detailed-exitcode") == .init(code: 0))
    #expect(try CommandProcess.run(fixture, "read", "t", "k").output == "1\n")
  }

  // C-25
  @Test func `the program links nothing that makes it start slowly`() throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: CommandProcess.program))
    for library in ["libFoundation", "libdispatch", "lib_FoundationICU", "libcurl"] {
      #expect(bytes.range(of: Data(library.utf8)) == nil, "\(library)")
    }
    #expect(bytes.range(of: Data("libc.so".utf8)) != nil, "this is how such names look")
  }

  // C-27
  @Test func `a closed pipe ends it quietly`() throws {
    fixture.succeed("write", "t", "k", String(repeating: "x", count: 60_000))
    for _ in 0..<5 {
      #expect(try CommandProcess.run(fixture, "write", "t", "l", "v").code == 0)
      let result = try shell(#"{ "$0" read t; echo "$?" >&2; } | true"#)
      #expect(result.output == "")
      #expect(["0\n", "1\n"].contains(result.errors), "\(result.errors)")
    }
    let closed = try shell(#"trap '' PIPE; "$0" read t | exec 0<&- sleep 0; echo ${PIPESTATUS[0]}"#)
    #expect(["0\n", "1\n"].contains(closed.output))
    #expect(closed.errors == "")
  }

  // C-27, C-4
  @Test func `a full disk is told, and leaves what was there`() throws {
    fixture.succeed("write", "t", "{a = old;}")
    let device = try shell(#""$0" read t >/dev/full"#)
    #expect(device.code == 1)
    #expect(device.errors == "cannot write standard output: No space left on device\n")
    #expect(try shell(#""$0" export t /dev/full"#).code == 1)
    fixture.succeed("export", "t", fixture.directory + "/kept")
    let kept = try Data(contentsOf: URL(fileURLWithPath: fixture.directory + "/kept"))
    let big = String(repeating: "y", count: 100_000)
    fixture.succeed("write", "t", "big", big)
    let limited = try shell(#"ulimit -f 40; "$0" export t kept"#)
    #expect(limited.code == 1)
    #expect(limited.errors == "cannot write kept: File too large\n")
    #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.directory + "/kept")) == kept)
    let names = try FileManager.default.contentsOfDirectory(atPath: fixture.directory)
    #expect(!names.contains { $0.hasSuffix(".new") }, "\(names)")
    let output = try shell(#"ulimit -f 40; "$0" read t big >out"#)
    #expect(output.code == 1)
    #expect(output.errors == "cannot write standard output: File too large\n")
    #expect(try shell(#"ulimit -f 40; "$0" backup kept"#).code == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.directory + "/kept")) == kept)
  }

  // C-27, C-5
  @Test func `a domain that can't be stored is told, and stays as it was`() throws {
    fixture.succeed("write", "t", "{a = old;}")
    let limited = try shell(#"ulimit -f 4; "$0" write u b new"#)
    #expect(limited.code == 1)
    #expect(limited.errors.contains("Could not write domain u; exiting\n"), "\(limited.errors)")
    #expect(fixture.run("read", "u").code == .failure)
    #expect(fixture.succeed("read", "t", "a") == "old\n")
  }

  // C-4, S-10
  @Test func `a value that gets no further than the journal is told`() throws {
    try fixture.write(Array("no list <".utf8), to: "text")
    fixture.succeed("write", "t", "{a = old;}")
    let plist = fixture.userDirectory + "/ln.plist"
    #expect(symlink(fixture.directory + "/text", plist) == 0)
    let linked = try CommandProcess.run(fixture, "write", "ln", "k", "v")
    #expect(linked.code == 1)
    #expect(linked.errors.contains("The change has taken effect and is safe in the journal"))
    #expect(
      linked.errors.contains(
        "write \(plist): it is a link to something that is not a property list"))
    #expect(!linked.errors.contains("Could not write domain"), "\(linked.errors)")
    #expect(try CommandProcess.run(fixture, "read", "ln", "k").output == "v\n")
    #expect(try CommandProcess.run(fixture, "delete", "ln", "k").code == 1)
    unlink(plist)
    #expect(try CommandProcess.run(fixture, "write", "ln", "l", "w") == .init(code: 0))
    #expect(try CommandProcess.run(fixture, "read", "ln", "l").output == "w\n")
  }

  // C-4, S-10
  @Test func `a property list that the disk has no room for is told by its path`() throws {
    let value = String(repeating: "x", count: 60_000)
    for key in 0..<4 { fixture.succeed("write", "t", "k\(key)", value) }
    let limited = try shell(#"ulimit -f 200; "$0" write t k v"#)
    #expect(limited.code == 1)
    #expect(limited.errors.contains("The change has taken effect and is safe in the journal"))
    #expect(limited.errors.contains("\(fixture.userDirectory)/t.plist"), "\(limited.errors)")
    #expect(!limited.errors.contains("file descriptor"), "\(limited.errors)")
    #expect(fixture.succeed("read", "t", "k") == "v\n")
  }

  // C-31
  @Test func `a domain that can't be read is reported once, with its path`() throws {
    try fixture.write(Array("no property list <".utf8), to: ".config/defaults/broken.plist")
    let plist = fixture.userDirectory + "/broken.plist"
    let read = try CommandProcess.run(fixture, "read", "broken")
    #expect(read.code == 1)
    #expect(read.errors.hasPrefix("Domain broken could not be read: \(plist): "), "\(read.errors)")
    #expect(read.errors.split(separator: "\n").count == 1, "\(read.errors)")
    let write = try CommandProcess.run(fixture, "write", "broken", "k", "v")
    #expect(write.code == 0 && write.errors.contains("(kept at "), "what only the log has is there")
  }

  // C-4, C-27
  @Test func `an argument that is no text is refused`() throws {
    let result = try shell(#""$0" write t k $'\xff\xfe'"#)
    #expect(result.code == 1)
    #expect(result.errors.hasPrefix("argument 4 is not valid UTF-8"))
    #expect(fixture.run("read", "t").code == .failure)
  }

  // C-27
  @Test func `Ctrl-C during edit is for the editor, and the text is kept`() throws {
    fixture.succeed("write", "t", "{a = old;}")
    let editor = fixture.directory + "/editor"
    let script = "#!/bin/bash\necho '{a = new;}' >$1; kill -INT $PPID; kill -INT $$; sleep 9\n"
    try ProgramFile.write(script, to: editor)
    let process = try CommandProcess(
      in: fixture, ["edit", "t"], environment: ["EDITOR": editor])
    let result = try process.result()
    #expect(result.code == 1)
    let kept = "nothing was changed, the text is kept in \(fixture.directory)/t-"
    #expect(result.errors.contains(kept), "\(result.errors)")
    #expect(fixture.succeed("read", "t", "a") == "old\n")
  }

  // C-28
  @Test func `an exported file has the mode that the umask allows, and keeps one that it has`()
    throws
  {
    fixture.succeed("write", "t", "k", "v")
    func mode(_ name: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: fixture.directory + "/" + name)[
        .posixPermissions] as? Int
    }
    for (mask, expected) in [("022", 0o644), ("027", 0o640), ("077", 0o600), ("000", 0o666)] {
      #expect(try shell("umask \(mask); \"$0\" export t new\(mask)").code == 0)
      #expect(try mode("new\(mask)") == expected, "\(mask)")
    }
    #expect(try shell(#"chmod 604 new022; umask 077; "$0" export t new022"#).code == 0)
    #expect(try mode("new022") == 0o604)
    #expect(try shell(#"umask 022; "$0" backup archive"#).code == 0)
    #expect(try mode("archive") == 0o600, "all settings of a user are nobody else's")
  }

  // C-24
  @Test func `bash completes behind = and :, which it splits words at`() throws {
    fixture.succeed("write", "t", "{\"a:b\" = 1; \"two words\" = 2;}")
    let script = #"""
      program=$0; x() { "$program" "$@"; }; source <(x completion bash)
      try() {
        COMP_LINE=$1; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _defaults; echo "${COMPREPLY[*]}"
      }
      compopt() { echo files; }
      try 'x read t --format=' x read t --format =
      try 'x read t --format=x' x read t --format = x
      try 'x read t --form' x read t --form
      try 'x read t a:' x read t a :
      try 'x read t two\ w' x read t 'two\ w'
      try 'x read t "two w' x read t '"two w'
      try 'x read t --path=a' x read t --path = a
      try 'x apply ' x apply ''
      """#
    let result = try shell(script)
    #expect(result.errors == "")
    #expect(
      result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) == [
        "xml binary json openstep gnustep", "xml", "--format", "b", #"two\ words"#, "two words",
        "a:b", "files", "", "",
      ])
  }

  // C-24
  @Test func `another package's verb gets its arguments, and its exit code is ours`() throws {
    try ProgramFile.write(
      "#!/bin/sh\necho \"$@\"; exit 7\n", to: fixture.directory + "/defaults-frob")
    let process = try CommandProcess(
      in: fixture, ["frob", "a", "--b"], environment: ["PATH": fixture.directory + ":/usr/bin:/bin"]
    )
    #expect(try process.result() == .init(output: "a --b\n", code: 7))
  }

  // C-27
  @Test(arguments: ["INT", "TERM"])
  func `a signal ends it while it waits for the reader of a pipe`(_ signal: String) throws {
    fixture.succeed("write", "t", "k", String(repeating: "x", count: 200_000))
    // The tests' threads have signals blocked, which a child inherits.
    let export = #"timeout -k 300 -s \#(signal) 1 env --default-signal=\#(signal) "$0" export t p"#
    #expect(try shell("mkfifo p; \(export); echo $?").output == "124\n")
    let unread = "sleep 999 <p & \(export); echo $?; kill -KILL $!"
    #expect(try shell(unread).output == "124\n", "written to, but not read from")
  }
}
