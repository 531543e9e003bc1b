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
    "nsglobaldomain", "\u{301}", "50%", "%", "%4", "%4g", "%2f", "a%2Fb",
    String(repeating: "é", count: 100),
  ])
  func `a name is its file's name`(text: String) throws {
    let identifier = try DomainIdentifier(text, isSetUID: false)
    #expect(identifier.name == text)
    #expect(identifier.fileName == text)
    #expect(identifier.path == nil)
  }

  // D-8
  @Test(arguments: [
    ("a/b", "%61%2Fb"), ("a/", "%61%2F"), ("../a", "%2E.%2Fa"), ("~/a", "%7E%2Fa"),
    ("a/\u{301}b", "%61%2F\u{301}b"), (".", "%2E"), ("..", "%2E."), (".a", "%2Ea"),
    (".GlobalPreferences", "%2EGlobalPreferences"), ("é/ü", "%C3%A9%2Fü"), ("a\nb", "%61%0Ab"),
    ("a\u{7F}\u{85}", "%61%7F%C2%85"), ("5%/b", "%35%25%2Fb"), ("%61%2Fb", "%2561%252Fb"),
    ("%41", "%2541"),
  ])
  func `what can't be a file name is percent encoded`(text: String, file: String) throws {
    let identifier = try DomainIdentifier(text, isSetUID: false)
    #expect(identifier.name == text)
    #expect(identifier.fileName == file)
    #expect(EncodedName.name(ofFile: file).map { FileName($0) } == FileName(text))
  }

  // D-8
  @Test func `the file name of a long name is its beginning and a hash of the whole`() throws {
    let long = String(repeating: "é", count: 101)
    let hash = "96cbf977549895b3277e0ab79c97a946"
    let identifier = try DomainIdentifier(long, isSetUID: false)
    #expect(identifier.fileName == "%C3%A9" + String(repeating: "é", count: 80) + "%~" + hash)
    for size in [201, 250, 1_000_000] {
      let name = String(repeating: "a", count: size)
      let file = try #require(try DomainIdentifier(name, isSetUID: false).fileName)
      #expect(file.utf8.count == 200 && EncodedName.isCut(file))
      #expect(EncodedName.name(ofFile: file) == nil)
      // A domain may be named as that file is; it is another one.
      #expect(try DomainIdentifier(file, isSetUID: false).fileName != file)
    }
  }

  // D-8
  @Test(arguments: [("", .empty), ("a\0b", .holdsNUL)] as [(String, DomainIdentifierError.Reason)])
  func `a name is not empty and has no NUL`(text: String, reason: DomainIdentifierError.Reason) {
    #expect(error(text)?.reason == reason)
    #expect(error(text)?.name == text)
  }

  // D-8
  @Test(arguments: 0..<20)
  func `no two names have one file, and each file tells its name`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let parts = ["/", ".", "%", "%2F", "%~", "61", "a", "é", "\u{301}", "\n", "4", "F"]
    var names: [FileName: FileName] = [:]
    for _ in 0..<1000 {
      let count = Int.random(in: 1..<8, using: &random)
      var text = "/"
      while text.utf8.first == UInt8(ascii: "/") {
        text = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        text += String(repeating: "x", count: .random(in: 150..<220, using: &random))
      }
      let file = try #require(try DomainIdentifier(text, isSetUID: false).fileName)
      #expect(file.utf8.count <= 200, "\(text), seed \(seed)")
      let known = names.updateValue(FileName(text), forKey: FileName(file))
      #expect(known == nil || known == FileName(text), "\(file), seed \(seed)")
      let name = EncodedName.name(ofFile: file).map { FileName($0) }
      #expect(EncodedName.isCut(file) ? name == nil : name == FileName(text), "\(file)")
    }
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
      error("a\0b")?.description
        == "\"a\\0b\" can't name a domain: it contains a NUL; remove it")
    for text in ["", "a\n\0", "/", "/..", "/" + String(repeating: "\n", count: 1000)] {
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
