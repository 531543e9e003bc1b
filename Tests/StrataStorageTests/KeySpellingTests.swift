import StrataPropertyList
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Two spellings of one key, as Swift compares strings.
@Suite struct KeySpellingTests {
  private let machine = FaultMachine()

  init() { machine.makeParents(of: CrashScript.paths.plist) }

  // S-1
  @Test(arguments: [
    ("caf\u{E9}", "cafe\u{301}"), ("\u{212A}ey", "Key"), ("a;", "a\u{37E}"),
    ("\u{1FEF}\u{E9}", "`e\u{301}"),
    ("a key of more than 15 bytes \u{E9}", "a key of more than 15 bytes e\u{301}"),
  ])
  func `a key is found in whatever composition its characters are`(
    key: String, other: String
  ) throws {
    let store = machine.process().store(at: CrashScript.paths)
    try store.set(.integer(1), forKey: key)
    #expect(store.integer(forKey: other) == 1)
    try store.set(.integer(2), forKey: other)
    #expect(store.integer(forKey: key) == 2)
    #expect(store.snapshot().values.count == 1)
    // What others set is read from its record.
    let reader = machine.process().store(at: CrashScript.paths)
    #expect(reader.snapshot().values.count == 1)
    try store.set(.integer(3), forKey: other)
    #expect(reader.integer(forKey: key) == 3)
    try store.set(.integer(2), forKey: key)
    #expect(reader.snapshot().values.count == 1)
    #expect(store.flush())
    let next = machine.process().store(at: CrashScript.paths)
    #expect(next.integer(forKey: key) == 2)
    try next.set(nil, forKey: key)
    #expect(next.value(forKey: other) == nil)
    #expect(next.snapshot().values.isEmpty)
  }

  // S-1
  @Test func `keys that differ are two although they share all but their ends`() throws {
    let store = machine.process().store(at: CrashScript.paths)
    let keys = ["", "a", "aa", "aaaaaaaa", "aaaaaaaab", "aaaaaaaaa", "\u{E9}", "\u{E8}", "."]
    for (number, key) in keys.enumerated() { try store.set(.integer(Int64(number)), forKey: key) }
    for (number, key) in keys.enumerated() {
      #expect(store.integer(forKey: key) == Int64(number), "\(key)")
    }
  }
}

/// Names of files, which the kernel tells apart by their bytes.
@Suite struct PathTests {
  // S-7
  @Test func `a slash divides a path whatever follows it`() {
    #expect(Path.directory(of: "/a/b/\u{301}x") == "/a/b")
    #expect(Path.name(of: "/a/b/\u{301}x").utf8.elementsEqual("\u{301}x".utf8))
    #expect(Path.directory(of: "/x") == "/")
    #expect(Path.name(of: "x") == "x")
    let paths = StorePaths(identifier: "\u{301}x", in: "/a/b")
    #expect(paths.directory == "/a/b")
    #expect(paths.journal.utf8.starts(with: "/a/b/.strata/".utf8))
  }

  // S-6
  @Test func `two spellings of a name are two files and two stores`() {
    let one = StorePaths(identifier: "caf\u{E9}", in: "/d")
    let other = StorePaths(identifier: "cafe\u{301}", in: "/d")
    #expect(one != other)
    #expect(Set([one, other]).count == 2)
  }

  // S-12, S-22
  @Test func `a path lies in the directory that it has before its last slash, and in no other`() {
    let names = ["", "a", "b", "a/b", "e\u{301}", "\u{E9}", "."]
    let paths = names.flatMap { [$0, "/" + $0, $0 + "/", $0 + "/x", "/" + $0 + "/\u{301}x"] }
    let directories = paths + [".", "/", "a/b/", "//"]
    for path in paths {
      let expected = Path.directory(of: path)
      let found = directories.filter { Path.isDirectory($0, of: path) }
      #expect(found.allSatisfy { Path.isSame($0, expected) }, "\(path)")
      #expect(Path.isDirectory(expected, of: path), "\(path)")
    }
  }
}
