import StrataDomains
import StrataTesting
import Testing

/// Which texts name a domain, and which file it is.
struct DomainIdentifierTests {
  private func error(
    _ text: String, isSetUID: Bool = false
  ) -> DomainIdentifierError? {
    do {
      _ = try DomainIdentifier(text, isSetUID: isSetUID)
      return nil
    } catch {
      return error
    }
  }

  // D-8
  @Test(arguments: [
    "com.example.app", "a", "a b", "Überraschung", "a..b", "a.", "-x", "~", "com.example.plist",
    "nsglobaldomain", "a\nb", "\u{301}", String(repeating: "é", count: 100),
  ])
  func `a name is its file's name`(text: String) throws {
    let identifier = try DomainIdentifier(text, isSetUID: false)
    #expect(identifier.name == text)
    #expect(identifier.fileName == text)
    #expect(identifier.path == nil)
  }

  // D-8
  @Test(
    arguments: [
      ("", .empty), ("a\0b", .holdsNUL), ("a/b", .holdsSlash), ("a/", .holdsSlash),
      ("../a", .holdsSlash), ("~/a", .holdsSlash), ("a/\u{301}b", .holdsSlash),
      (".", .beginsWithDot), ("..", .beginsWithDot), (".a", .beginsWithDot),
      (".\u{301}a", .beginsWithDot), (".GlobalPreferences", .beginsWithDot),
      (String(repeating: "é", count: 101), .tooLong(202)),
      (String(repeating: "a", count: 1_000_000), .tooLong(1_000_000)),
    ] as [(String, DomainIdentifierError.Reason)])
  func `what could leave its directory or is no file name is refused`(
    text: String, reason: DomainIdentifierError.Reason
  ) {
    #expect(error(text)?.reason == reason)
    #expect(error(text)?.name == text)
  }

  // D-8
  @Test(arguments: 0..<20)
  func `no name that is taken leads out of its directory`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let parts = ["/", ".", "..", "\0", "a", "é", "\u{301}", "\\", "NSGlobalDomain", " ", "~"]
    for _ in 0..<1000 {
      let count = Int.random(in: 0..<6, using: &random)
      let text = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
      guard error(text) == nil else { continue }
      let identifier = try DomainIdentifier(text, isSetUID: false)
      if let path = identifier.path {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"))
        #expect(!parts.contains { $0.elementsEqual("..".utf8) }, "\(text), seed \(seed)")
      } else {
        let name = try #require(identifier.fileName)
        #expect(!name.utf8.contains(UInt8(ascii: "/")), "\(text), seed \(seed)")
        #expect(name == ".GlobalPreferences" || name.utf8.first != 0x2E, "\(text), seed \(seed)")
        #expect(!name.utf8.contains(0) && !name.isEmpty, "\(text), seed \(seed)")
      }
    }
  }

  // D-8
  @Test(
    arguments: [
      ("/tmp/a.plist", "/tmp/a.plist"), ("/tmp/a", "/tmp/a.plist"), ("/a", "/a.plist"),
      ("/tmp/../etc/./x//a", "/etc/x/a.plist"), ("/../../a", "/a.plist"),
      ("/tmp/a/", "/tmp/a.plist"),
      ("/tmp/.a", "/tmp/.a.plist"), ("/tmp/...", "/tmp/....plist"), ("/a.PLIST", "/a.PLIST.plist"),
      ("/tmp/.\u{301}", "/tmp/.\u{301}.plist"),
    ])
  func `an absolute path is exactly that file`(text: String, path: String) throws {
    let identifier = try DomainIdentifier(text, isSetUID: false)
    #expect(identifier.path == path)
    #expect(identifier.name == path)
    #expect(identifier.fileName == nil)
  }

  // D-8
  @Test(
    arguments: [
      ("/", .namesNoFile), ("/tmp/..", .namesNoFile), ("//.//", .namesNoFile),
      ("/\u{301}/..", .namesNoFile), ("/a\0b", .holdsNUL),
      ("/" + String(repeating: "a", count: 201), .tooLong(201)),
    ] as [(String, DomainIdentifierError.Reason)])
  func `a path must name a file`(text: String, reason: DomainIdentifierError.Reason) {
    #expect(error(text)?.reason == reason)
  }

  // D-8
  @Test func `a set-uid process takes no path`() {
    #expect(error("/tmp/a.plist", isSetUID: true)?.reason == .pathInSetUID)
    #expect(error("com.example.app", isSetUID: true) == nil)
  }

  // D-8
  @Test func `an error names what was refused and how to mend it in one line`() {
    #expect(
      error("a/b")?.description
        == "\"a/b\" can't name a domain: it contains a /; "
        + "use a dot instead, or the absolute path of a property list")
    #expect(error(".GlobalPreferences")?.description.hasSuffix("NSGlobalDomain") == true)
    for text in ["", "a\n\0", "/", ".", String(repeating: "\n", count: 1000)] {
      let line = error(text)?.description ?? ""
      #expect(!line.contains("\n") && !line.utf8.contains(0) && line.contains("; "), "\(text)")
      #expect(line.count < 400, "\(text)")
    }
  }

  // D-8, D-26
  @Test func `the global domain has a name for people and a name for its file`() throws {
    let identifier = try DomainIdentifier("NSGlobalDomain", isSetUID: true)
    #expect(identifier == .global)
    #expect(identifier.name == "NSGlobalDomain")
    #expect(identifier.fileName == ".GlobalPreferences")
    #expect(identifier.path == nil)
  }

  // D-8
  @Test func `names that look alike are two domains as they are two files`() throws {
    let composed = try DomainIdentifier("\u{E9}", isSetUID: false)
    let decomposed = try DomainIdentifier("e\u{301}", isSetUID: false)
    #expect(composed.name == decomposed.name)
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, composed]).count == 2)
  }
}
