import Glibc
import StrataTesting
import Testing

@testable import StrataDomains
@testable import StrataStorage

/// What stands for a machine in names of files.
struct HostIdentifierTests {
  private let number = "0123456789abcdef0123456789abcdef"

  // D-26
  @Test(arguments: [
    ("", "e3b0c44298fc"),
    ("abc", "ba7816bf8f01"),
    (String(repeating: "0", count: 32), "84e0c0eafaa9"),
    (String(repeating: "a", count: 55), "9f4390f8d30c"),
  ])
  func `the digits are those of SHA-256`(text: String, digits: String) {
    #expect(HostIdentifier(of: text).text == digits)
  }

  // D-26
  @Test func `of a name that is longer than a block its start counts`() {
    let start = String(repeating: "b", count: 55)
    #expect(HostIdentifier(of: start + "tail").text == HostIdentifier(of: start).text)
    #expect(HostIdentifier(of: start).text.count == 12)
  }

  // D-26
  @Test func `a host is twelve digits of the hash of the machine's number for ever`() throws {
    let tree = try TemporaryTree()
    try tree.write(number + "\n", to: "etc/machine-id")
    try tree.write("fedcba9876543210fedcba9876543210\n", to: "var/lib/dbus/machine-id")
    #expect(try HostIdentifier.find(root: tree.path).text == "3eb1bd439947")
    #expect(try HostIdentifier.find(root: tree.path) == HostIdentifier(of: number))
  }

  // D-26
  @Test(arguments: ["", "uninitialized\n", "00000000000000000000000000000000\n", "0123\n", "\0"])
  func `without a number there is the other file and then the name`(content: String) throws {
    let tree = try TemporaryTree()
    #expect(try HostIdentifier.find(root: tree.path) == HostIdentifier(of: "localhost"))
    try tree.write("bigbox\n", to: "proc/sys/kernel/hostname")
    try tree.write(content, to: "etc/machine-id")
    #expect(try HostIdentifier.find(root: tree.path) == HostIdentifier(of: "bigbox"))
    try tree.write(content, to: "var/lib/dbus/machine-id")
    #expect(try HostIdentifier.find(root: tree.path) == HostIdentifier(of: "bigbox"))
    try tree.write(number, to: "var/lib/dbus/machine-id")
    #expect(try HostIdentifier.find(root: tree.path) == HostIdentifier(of: number))
  }

  // D-26
  @Test(arguments: ["/etc/machine-id", "/var/lib/dbus/machine-id", "/proc/sys/kernel/hostname"])
  func `a number that can't be read at the moment is not guessed`(failing: String) throws {
    let tree = try TemporaryTree()
    try tree.write("bigbox\n", to: "proc/sys/kernel/hostname")
    #expect(throws: StorageError.self) {
      try HostIdentifier.find(root: tree.path) { path, count throws(StorageError) in
        if path.hasSuffix(failing) { throw StorageError(.open, path, code: EMFILE) }
        return try HostIdentifier.firstLine(of: path, atMost: count)
      }
    }
    let surroundings = ProcessSurroundings(
      environment: ["HOME": tree.path], userID: 1, user: .known(nil), isSetUID: false,
      host: .unknown,
      executableName: "x")
    let process = DomainProcess(
      surroundings, VolatileDomains(arguments: [:], languages: MemoryStore()))
    let identifier = try DomainIdentifier("com.example.app", isSetUID: false)
    #expect(process.domainOnThisHost(identifier) == nil)
    #expect(try process.domainNamesOfHost().isEmpty)
    #expect(process.places.stores(of: identifier, in: .application).count == 1)
  }

  // D-26
  @Test func `a number that can't be read at the moment is asked for again`() {
    let answers = Guarded<[HostIdentifier?]>([HostIdentifier(of: number), nil, nil])
    let host = KnownHost { () throws(StorageError) in
      guard let answer = answers.withLock({ $0.popLast() ?? .unknown }) else {
        throw StorageError(.open, "/etc/machine-id", code: EMFILE)
      }
      return answer
    }
    #expect(!host.identifier.isKnown && !host.identifier.isKnown)
    for _ in 0..<2 { #expect(host.identifier == HostIdentifier(of: number)) }
  }
}
