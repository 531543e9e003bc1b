import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// People, editors and configuration tools that change the plist while programs use the domain.
@Suite(.serialized, .waiting) struct HandEditProcessTests {
  enum Way: CaseIterable, Sendable {
    case inPlace, byRename, deletion, versionControl, plistlib
  }

  // S-8
  @Test(arguments: Way.allCases)
  func `a running process sees an edit at once`(way: Way) throws {
    let place = try Place()
    try place.exchange(place.plist, try foreignList(["A": 0]))
    if way == .versionControl { try git(place, "init", "-q", ".") }
    let probe = try place.serve()
    var delays: [Double] = []
    // The fastest tells what the program does; the others, what else the machine has to do.
    while delays.count < 9 || delays.count < 60 && (delays.min() ?? 1) > 0.1 {
      let number = delays.count + 1
      #expect(try probe.ask("get A") != "\(number)")
      let wanted = way == .deletion ? "nil" : "\(number)"
      if way == .deletion { try place.exchange(place.plist, try foreignList(["A": 1])) }
      if way == .deletion { #expect(try probe.ask("await A 1") != "never") }
      try prepare(way, place, number)
      try probe.send("await A \(wanted)")
      try edit(way, place, number)
      let start = monotonicSeconds()
      let answer = try probe.line()
      delays.append(monotonicSeconds() - start)
      try #require(!answer.hasPrefix("never"), "edit \(number): \(answer)")
    }
    print("edit \(way): seen after \(Int(delays.median * 1000)) ms, at the median")
    #expect((delays.min() ?? 1) <= 0.1)
    #expect(try probe.ask("issues") == "")
  }

  /// What may take its time before the edit itself.
  private func prepare(_ way: Way, _ place: Place, _ number: Int) throws {
    guard way == .versionControl else { return }
    try git(place, "add", "com.example.place.plist")
    try git(place, "commit", "-q", "--allow-empty", "-m", "old")
    try git(place, "checkout", "-q", "-b", "edit\(number)")
    try place.exchange(place.plist, try foreignList(["A": Int64(number)]))
    try git(place, "commit", "-q", "-a", "-m", "new")
    try git(place, "checkout", "-q", "HEAD~")
    #expect(try place.serve().ask("get A") != "\(number)")
  }

  private func edit(_ way: Way, _ place: Place, _ number: Int) throws {
    let bytes = try foreignList(["A": Int64(number)])
    switch way {
    case .inPlace: try place.overwrite(place.plist, bytes)
    case .byRename: try place.exchange(place.plist, bytes)
    case .deletion: unlink(place.plist)
    case .versionControl: try git(place, "checkout", "-q", "edit\(number)")
    case .plistlib:
      let script =
        "import plistlib,sys; plistlib.dump({'A': int(sys.argv[2])}, "
        + "open(sys.argv[1], 'wb'))"
      #expect(try run("python3", "-c", script, place.plist, "\(number)") != nil)
    }
  }

  private func git(_ place: Place, _ arguments: String...) throws {
    let words = arguments.map { "'\($0)'" }.joined(separator: " ")
    let name = "-c user.name=Test -c user.email=test@example.com -c init.defaultBranch=main"
    #expect(try run("sh", "-c", "cd '\(place.directory)' && git \(name) \(words)") != nil)
  }

  // S-8
  @Test func `a set that was pending loses against an edit, a later one wins`() throws {
    let place = try Place()
    let probe = try place.serve()
    try probe.ask("set A 1")
    try place.exchange(place.plist, try foreignList(["A": 2, "B": 3]))
    try probe.ask("set C 5")
    #expect(try probe.ask("get A") == "2")
    try probe.ask("set A 4")
    #expect(try [probe.ask("get A"), probe.ask("get B"), probe.ask("get C")] == ["4", "3", "5"])
    #expect(try probe.ask("flush") == "true")
    #expect(try place.plistValues() == ["A": .integer(4), "B": .integer(3), "C": .integer(5)])
  }

  // S-8, S-16
  @Test(arguments: [Way.inPlace, .byRename])
  func `sets right after an edit win, all else comes from it`(way: Way) throws {
    let place = try Place()
    let first = try place.serve()
    let second = try place.serve()
    for number in stride(from: Int64(10), to: 2_010, by: 10) {
      let (pending, later) = number % 20 == 0 ? (first, second) : (second, first)
      try pending.ask("set A \(number)")
      let bytes = try foreignList(["A": number + 1, "B": number + 2])
      if way == .inPlace {
        try place.overwrite(place.plist, bytes)
      } else {
        try place.exchange(place.plist, bytes)
      }
      try later.ask("set C \(number + 3)")
      try pending.ask("set D \(number + 4)")
      if number % 50 == 0 { #expect(try later.ask("flush") == "true") }
      let wanted = ["\(number + 1)", "\(number + 2)", "\(number + 3)", "\(number + 4)"]
      for probe in [first, second] {
        let found = try ["A", "B", "C", "D"].map { try probe.ask("get \($0)") }
        try #require(found == wanted, "round \(number / 10), \(way)")
      }
    }
    #expect(try first.ask("flush") == "true")
    #expect(try place.plistValues()?.count == 4)
    #expect(place.freshStore().issues == [])
  }

  // S-16
  @Test func `the time of modification decides nothing`() throws {
    let place = try Place()
    try place.exchange(place.plist, try foreignList(["A": 10]))
    let probe = try place.serve()
    try probe.ask("set B 1")
    for time in ["1970-01-02", "2100-01-01"] {
      #expect(try run("touch", "-d", time, place.plist) != nil)
      try probe.ask("set C 1")
      #expect(try [probe.ask("get A"), probe.ask("get B")] == ["10", "1"], "touched: \(time)")
    }
    #expect(try probe.ask("flush") == "true")
    // Same length, same file, same time: only the bytes tell.
    try probe.ask("set A 20")
    #expect(try probe.ask("flush") == "true")
    let reference = place.directory + "/reference"
    for number in [Int64(30), 40, 50] {
      let old = try place.bytes(of: place.plist)
      #expect(try run("cp", "-p", place.plist, reference) != nil)
      let new = try foreignList(["A": number, "B": 1, "C": 1])
      try #require(number == 30 || new.count == old.count)
      try place.overwrite(place.plist, new)
      #expect(try run("touch", "-r", reference, place.plist) != nil)
      #expect(try probe.ask("await A \(number)").hasPrefix("never") == false)
    }
  }
}
